import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { launchToken, servePrograms } from "@/app/v1/testing/ask-over-openai";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";

const entry = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
const { address, answers, asked } = await servePrograms(
  { notes: entry },
  { TOOL_APPROVAL: "allow" },
  { models: ["gpt-5-mini"] },
);
const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8").trim();
const page = read("../../openai-api.md");

const fromNotes: Step[][] = [[callTools({ name: "notes__echo", args: { q: "tea" } })], [say("Two are.")]];
const cases: Record<string, { script: Step[][]; prints: string; reads: string[] }> = {
  ask: { script: fromNotes, prints: "Two are.", reads: ['echo {"q":"tea"}'] },
  "ai-sdk": { script: fromNotes, prints: "Two are.", reads: ['echo {"q":"tea"}'] },
  langchain: { script: fromNotes, prints: "Two are.", reads: ['echo {"q":"tea"}'] },
  "tool-of-the-program": {
    script: [
      [
        callTools(
          { name: "notes__echo", args: { q: "Kyoto" } },
          { name: "weather", args: { city: "Kyoto" } },
        ),
      ],
      [say("Take an umbrella.")],
    ],
    prints: "Take an umbrella.",
    reads: ['echo {"q":"Kyoto"}', "Rain in Kyoto"],
  },
  responses: { script: [[say("Sencha.")], [say("From Uji.")]], prints: "From Uji.", reads: [] },
};

test.each(Object.entries(cases))(
  "%s does what it says, and stands in the page as it is",
  async (name, { script, prints, reads }) => {
    expect(page).toContain(`\`\`\`ts\n${read(`${name}.ts`)}\n\`\`\``);
    vi.stubEnv("MEGURI_URL", address);
    vi.stubEnv("MEGURI_TOKEN", launchToken);
    const print = vi.spyOn(console, "log").mockImplementation(() => undefined);
    answers(...script);
    await import(`./${name}.ts`);
    expect(print.mock.calls).toEqual([[prints]]);
    expect(asked().at(-1)?.toolResults).toEqual(reads);
    print.mockRestore();
    vi.unstubAllEnvs();
  },
);

test("every example is run", () => {
  const files = readdirSync(import.meta.dirname).filter((file) => file !== "programs.test.ts");
  expect(files.toSorted()).toEqual(
    Object.keys(cases)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
});

test("the command of the page asks", async () => {
  answers([say("Good day to you.")]);
  const command = /```bash\n(.*?)\n```/s.exec(page)?.[1] ?? "";
  const env = { ...process.env, MEGURI_URL: address, MEGURI_TOKEN: launchToken };
  const { stdout } = await promisify(execFile)("sh", ["-c", command], { env });
  expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { content: "Good day to you." } }] });
  expect(asked().at(-1)?.lastUserText).toBe("Hello");
});
