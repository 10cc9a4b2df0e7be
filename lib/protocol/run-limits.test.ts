import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runLimits } from "./run-limits";

test("docs/agent-loop.md has the limits that hold, for chats and for agents", () => {
  const docs = readFileSync("docs/agent-loop.md", "utf8").split("\n## Limits\n")[1]?.split("\n## ")[0] ?? "";
  const written = [...docs.matchAll(/^\| `(\w+)` \| (.+?) \| (.+?) \|/gm)].map(([, ...cells]) => cells);
  const { chat, agent } = runLimits;
  const held = (Object.keys(chat) as (keyof typeof chat)[]).map((name) => [
    name,
    inWords(name, chat[name]),
    inWords(name, agent[name]),
  ]);
  expect(written.toSorted()).toEqual(held.toSorted());
});

function inWords(name: string, value: number | null): string {
  if (value === null) return "none";
  if (name.endsWith("Bytes")) return `${value / 1024 / 1024} MB`;
  if (!name.endsWith("Ms")) return value.toLocaleString("en");
  if (value % 3_600_000 === 0) return `${value / 3_600_000} h`;
  return value % 60_000 === 0 ? `${value / 60_000} min` : `${value / 1_000} s`;
}
