import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expect, test } from "../support/server-test";

/** `meguri` on the data folder of a Meguri that `npm start` serves. */
const lineOf = (app: App, args: string[]) => ["scripts/cli/meguri.mjs", ...args, "--data", app.dataDir];

async function run(app: App, args: string[], input = "") {
  const child = spawn(process.execPath, lineOf(app, args));
  child.stdin.end(input);
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: (await closed)[0] };
}

/** The same at a terminal (`script`, of Debian's bsdutils), on which `answers` are typed, each once its question is there. */
async function runAtTerminal(app: App, args: string[], ...answers: string[]) {
  const words = [process.execPath, ...lineOf(app, args)].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"]);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output += piece;
    if (output.split("[y/n]").length - 1 > typed && answers.length > typed)
      child.stdin.write(answers[typed++] ?? "");
  });
  let typed = 0;
  const [code] = await once(child, "close");
  return { output, code };
}

test("what npm start serves is asked by the command, as an assistant too, and says so as long as it runs", async ({
  startWithModel,
}) => {
  const { app, model } = await startWithModel([[say("Eight.")], [say("Nine.")]]);
  const api = apiOf(app);
  await api.post("/api/assistants", { name: "Clerk", instructions: "Be a clerk." });
  expect(await run(app, ["ask", "How many?"])).toEqual({ stdout: "Eight.\n", stderr: "", code: 0 });
  expect((await api.get<{ items: unknown[] }>("/api/conversations")).items).toHaveLength(1);
  expect(await run(app, ["ask", "--assistant", "clerk", "And now?"])).toMatchObject({ stdout: "Nine.\n" });
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Be a clerk.");
  expect(await run(app, ["ask", "--assistant", "Cook", "And now?"])).toEqual({
    ...{ stdout: "", code: 1 },
    stderr: 'There is no assistant "Cook"; there are: Clerk.\n',
  });
  expect(existsSync(join(app.dataDir, "meguri.server"))).toBe(true);
  await app.stop();
  expect(existsSync(join(app.dataDir, "meguri.server"))).toBe(false);
});

test("Ctrl+C stops the answer that is being written", async ({ startWithModel }) => {
  const { app } = await startWithModel([[say("It begins "), hang]]);
  const child = spawn(process.execPath, lineOf(app, ["ask", "Go on"]));
  child.stdin.end();
  await once(child.stdout, "data");
  child.kill("SIGINT");
  expect((await once(child, "close"))[0]).toBe(130);
  const { items } = await apiOf(app).get<{ items: { status: string }[] }>("/api/runs");
  expect(items).toMatchObject([{ status: "stopped" }]);
});

test("a call that needs a yes is asked about at a terminal, and elsewhere said with the address of its question", async ({
  startWithModel,
  gated,
}) => {
  gated.open();
  const { app } = await startWithModel(
    ({ toolResults }) =>
      toolResults.length === 0
        ? [callTools({ name: "gated__work", args: { key: "\u202Ek" } })]
        : [say(toolResults[0]?.includes("declined") ? "Not done." : "It is done.")],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const waits = await run(app, ["ask", "Do it"]);
  expect(waits).toMatchObject({ stdout: "", code: 3 });
  expect(waits.stderr).toMatch(/^It waits for you: answer at http:\/\/127\.0\.0\.1:\d+\/c\/\S+\.\n$/);
  expect(gated.calls()).toEqual([]);

  const denied = await runAtTerminal(app, ["ask", "Do it"], "n\r");
  expect(denied).toMatchObject({ output: expect.stringContaining("Not done."), code: 0 });
  expect(denied.output).toContain("It wants to call gated__work:");
  expect(denied.output).toContain("\\u{202e}k");
  expect(gated.calls()).toEqual([]);

  const allowed = await runAtTerminal(app, ["ask", "Do it"], "maybe\r", "y\r");
  expect(allowed).toMatchObject({ output: expect.stringContaining("It is done."), code: 0 });
  expect(gated.calls()).toEqual(["work"]);

  // Ctrl+D leaves the question to the page, Ctrl+C stops the run.
  expect(await runAtTerminal(app, ["ask", "Do it"], "\u0004")).toMatchObject({
    ...{ output: expect.stringContaining("answer at http://"), code: 3 },
  });
  expect((await runAtTerminal(app, ["ask", "Do it"], "\u0003")).code).toBe(130);
  const { items } = await apiOf(app).get<{ items: { status: string }[] }>("/api/runs?limit=1");
  expect(items).toMatchObject([{ status: "stopped" }]);
  expect(gated.calls()).toEqual(["work"]);
});
