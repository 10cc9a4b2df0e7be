import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { tempDir } from "@/lib/store/testing/temp-store";

const program = "lib/server/testing/measure-runs.ts";
const flags = ["--experimental-transform-types", "--disable-warning=ExperimentalWarning", "--expose-gc"];
const servers = { big: { command: "node", args: ["lib/mcp/testing/faulty-server.mjs", "big"] } };

/** How the image starts the application: without it the C library keeps what large buffers have taken. */
const ofTheImage = Object.fromEntries(
  [...readFileSync("Dockerfile", "utf8").matchAll(/(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [
    name,
    value,
  ]),
);

interface Message {
  role: string;
  content?: unknown;
}

/** As long as the question wants it, and in results that are each a little shorter: the same call again would be asked about. */
function answer({ body }: WireRequest) {
  const messages = body.messages as Message[];
  const question = String(messages.findLast(({ role }) => role === "user")?.content);
  const round = messages.filter(({ role }) => role === "assistant").length;
  const call = (megabytes: number) => [callTools({ name: "big__big", args: { megabytes } })];
  if (question === "a little") return round === 0 ? call(0.01) : [say("Done.")];
  if (question === "words") return Array.from({ length: 10_000 }, () => say("x".repeat(10_000)));
  return round < 11 ? call(9.5 - round / 100) : [say("Done.")];
}

test("a run that has received 100 MB, in results or in words, leaves less than 50 MB behind", {
  timeout: 120_000,
}, async () => {
  const model = await startOpenAiServer(answer);
  onTestFinished(() => model.close());
  const args = [...flags, "--import", "./scripts/typescript.mjs", program];
  const asked = ["a little", "results", "words"];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...args, tempDir(), model.url, JSON.stringify(servers), ...asked],
    { env: { ...process.env, ...ofTheImage } },
  );
  const [results, words] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(results).toMatchObject({ stopReason: "end_turn" });
  expect(words).toMatchObject({ stopReason: "max_tokens" });
  for (const { peak, after } of [results, words]) {
    expect(after).toBeLessThan(50);
    // What was received was never there as a whole, let alone in several forms.
    expect(peak).toBeLessThan(250);
  }
});
