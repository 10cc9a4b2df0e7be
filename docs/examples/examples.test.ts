import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expected } from "./expected";

const read = (path: string) => readFileSync(join(import.meta.dirname, path), "utf8").trim();
const page = read("../agent-loop.md");

test.each(Object.entries(expected))(
  "%s does what it says, and stands in the page as it is",
  async (name, output) => {
    expect(page).toContain(`\`\`\`ts\n${read(`${name}.ts`)}\n\`\`\``);
    const module: { output: unknown } = await import(`./${name}.ts`);
    expect(module.output).toEqual(output);
  },
);

test("every example is run", () => {
  const helpers = ["examples.test.ts", "expected.ts", "support.ts", "tools.ts", "count-usage.ts", "programs"];
  const names = readdirSync(import.meta.dirname).filter((file) => !helpers.includes(file));
  expect(names.toSorted()).toEqual(
    Object.keys(expected)
      .map((name) => `${name}.ts`)
      .toSorted(),
  );
});
