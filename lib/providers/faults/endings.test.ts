import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { ProviderError } from "@/lib/agent/ports";
import { type AdapterName, adapterNames, openAdapter } from "@/lib/providers/testing/adapters";
import { callTools, fade, finish, type Step, say } from "@/lib/providers/testing/steps";
import { callsOf, collect, textOf, tool, turn, user } from "@/lib/providers/testing/turn";
import type { WireServer } from "@/lib/providers/testing/wire-server";

let server: WireServer | undefined;
afterEach(() => server?.close());

interface Row {
  provider: AdapterName;
  /** Empty where the stream ends without one. */
  word: string;
  without: string;
  with: string;
  says: string;
}

const [, section = ""] = readFileSync(new URL("../../../docs/agent-loop.md", import.meta.url), "utf8").split(
  /^## Endings$|^## (?!Endings$)/m,
);
const rows = section
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Provider"))
  .flatMap((line): Row[] => {
    const [provider, words = "", without = "", withCalls = "", says = ""] = line
      .split("|")
      .slice(1)
      .map((cell) => cell.trim());
    const names = [...words.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");
    return (names.length > 0 ? names : [""]).map((word) => ({
      provider: provider as AdapterName,
      word,
      without,
      with: withCalls,
      says,
    }));
  });

const sentences: [says: string, sentence: RegExp][] = [
  ["the safety filter", /safety filter of .* stopped this answer/],
  ["too close", /was too close to an existing text/],
  ["a tool call that cannot be read", /wrote a tool call that cannot be read/],
  ["not known here", /reason that is not known here/],
  ["broke before", /broke before the answer was complete/],
  ["has filled all", /has filled the context of .*/],
  ["could not finish", /could not finish this answer/],
];

test("the table has rows for every adapter, and knows the words of each", () => {
  expect([...new Set(rows.map(({ provider }) => provider))]).toEqual(adapterNames);
  expect(rows.length).toBeGreaterThan(45);
});

test.each(rows)("$provider: $word ends an answer as $without", async ({ provider, word, without, says }) => {
  const { chunks, error } = await play(provider, [say("So far")], word);
  expect(textOf(chunks)).toBe("So far");
  checkEnd(without, { chunks, error, word, says });
});

test.each(rows)("$provider: $word ends calls as $with", async (row) => {
  const { chunks, error } = await play(row.provider, [say("So far"), callTools({ name: "a__x" })], row.word);
  expect(textOf(chunks)).toBe("So far");
  checkEnd(row.with, { chunks, error, word: row.word, says: row.says });
  if (row.with !== "tool_use") return;
  expect(callsOf(chunks)).toMatchObject([{ name: "a__x" }]);
  const notices = chunks.flatMap((chunk) => (chunk.type === "notice" ? chunk.message : []));
  // A word that nobody knows is shown, also where the calls are whole.
  if (row.says.startsWith("not known here")) expect(notices.join()).toContain(`(${row.word})`);
  else expect(notices).toEqual([]);
});

async function play(provider: AdapterName, steps: Step[], word: string) {
  const opened = await openAdapter(provider, [[...steps, word ? finish(word) : fade]]);
  server = opened.server;
  return collect(opened.provider, turn([user("Hi")], { tools: [tool("a__x")] }));
}

function checkEnd(
  end: string,
  { chunks, error, word, says }: Awaited<ReturnType<typeof play>> & Pick<Row, "word" | "says">,
): void {
  if (["end_turn", "tool_use", "max_tokens"].includes(end)) {
    expect(error).toBeUndefined();
    expect(chunks.at(-1)).toMatchObject({ type: "usage", stopReason: end });
    return;
  }
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({ code: end });
  expect(String(error)).toContain(word);
  expect(String(error)).toMatch(
    sentences.find(([start]) => says.startsWith(start))?.[1] ?? /no such sentence/,
  );
  expect(chunks.some((chunk) => chunk.type === "usage")).toBe(false);
}
