import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8").trim();
const page = read("../agent-loop.md");

/** What each example ends with. */
const expected: Record<string, unknown> = {
  "plain-loop": ["Hello!", "end_turn"],
  "own-provider": "Say it again",
  "own-tool-box": ["assistant", "tool", "assistant"],
  "mcp-pool": true,
  approval: "They are gone.",
  budget: "budget",
  hooks: expect.objectContaining({ results: [expect.objectContaining({ status: "denied" })] }),
  tracing: [
    "chat gpt-5-mini",
    "execute_tool notes__delete",
    "iteration 1",
    "chat gpt-5-mini",
    "iteration 2",
    "invoke_agent meguri",
  ],
  "structured-output": 1_460_000,
  "retry-and-time-limits": [true, "Here I am."],
  sequential: "お茶はおいしい。",
  "loop-with-escalate": ["Counter: 1", "Counter: 2", "Counter: 3"],
  resume: [1, "tool", "assistant"],
  "recorded-tools": ["It is gone.", "tape_miss"],
};

test.each(Object.entries(expected))(
  "%s does what it says, and stands in the page as it is",
  async (name, output) => {
    expect(page).toContain(`\`\`\`ts\n${read(`${name}.ts`)}\n\`\`\``);
    const module: { output: unknown } = await import(`./${name}.ts`);
    expect(module.output).toEqual(output);
  },
);

test("every example is run", () => {
  const helpers = ["examples.test.ts", "support.ts", "tools.ts", "count-usage.ts", "programs"];
  const names = readdirSync(import.meta.dirname).filter((file) => !helpers.includes(file));
  expect(names.toSorted()).toEqual(
    Object.keys(expected)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
});
