import { expect, test } from "vitest";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { growth } from "@/lib/protocol/testing/growth";
import { SeenTexts } from "./seen-texts";

const secret = "Salaries 2026: Abe 91,000, Berta 87,500, Carl 64,000";
let count = 0;

function called(server: string, text: string, rest: Partial<ToolResult> = {}): Chunk[] {
  const id = `call-${++count}` as ToolCallId;
  const call = { type: "tool_call" as const, id, name: `${server}__read`, server, tool: "read", args: {} };
  const result: ToolResult = { id, status: "ok", content: [{ type: "text", text }], ...rest };
  return [
    { type: "tool_call", call },
    { type: "tool_result", result, durationMs: 1 },
  ];
}

const asked = (text: string): ChatMessage => ({ role: "user", parts: [{ type: "text", text }] });

test("what one server has returned is found in the arguments for another one, with where it is from", () => {
  const seen = new SeenTexts([], called("notes", `# Private\n${secret}\n`));
  expect(seen.findFlows("mail", { to: "x@example.com", body: `Hi!\n${secret}\nBye` })).toEqual([
    {
      ...{ server: "notes", tool: "read", argument: "body" },
      ...{ characters: secret.length + 2, excerpt: `\n${secret}\n` },
    },
  ]);
});

test("much is read in parts, and what is asked meanwhile reads the rest", () => {
  const seen = new SeenTexts([], called("notes", `${"Nobody asked for this. ".repeat(40_000)}\n${secret}`));
  expect(seen.readOn("notes")).toBe(false);
  const flows = () => seen.findFlows("mail", { body: secret }).map(({ characters }) => characters);
  for (let parts = 0; parts < 4; parts++) expect(seen.readOn("mail")).toBe(true);
  for (const chunk of called("calendar", "Nothing today, and nothing tomorrow.")) seen.add(chunk);
  expect(flows()).toEqual([secret.length]);
  expect(seen.readOn("mail")).toBe(false);
});

test("room is made in parts, too", () => {
  const partsOf = (...sizes: number[]) => {
    const seen = new SeenTexts(
      [],
      sizes.flatMap((size) => called("notes", "x".repeat(size))),
    );
    let parts = 1;
    while (seen.readOn("mail")) parts++;
    return parts;
  };
  // A quarter of what may be kept goes, and the rest is put in order again.
  expect(partsOf(600_000, 600_000) - partsOf(600_000, 400_000)).toBeGreaterThan(6);
});

test.each([
  ["to the server that it is from", "notes", [], []],
  ["where a person has said it", "mail", [asked(`Send them this: ${secret}.`)], []],
  [
    "where a person said it while the answer went on",
    "mail",
    [],
    [{ type: "message", message: asked(secret) }],
  ],
  ["where the other server has returned it too", "mail", [], called("mail", secret)],
] as [string, string, ChatMessage[], Chunk[]][])("nothing flows %s", (_, to, history, more) => {
  const seen = new SeenTexts(history, [...called("notes", secret), ...more]);
  expect(seen.findFlows(to, { body: secret })).toEqual([]);
});

test("what a person has written in place of a result is the person's", () => {
  const seen = new SeenTexts(
    [],
    [...called("notes", "nothing"), ...called("notes", secret, { by: "person" })],
  );
  expect(seen.findFlows("mail", { body: secret })).toEqual([]);
});

test("words of ours in place of a result, and a no with its reason, are no server's", () => {
  const refused = called("notes", secret, { status: "error", reason: "not_run" });
  const denied = called("notes", secret, { status: "denied" });
  for (const chunks of [refused, denied]) {
    const seen = new SeenTexts([], [...called("notes", "nothing of it"), ...chunks]);
    expect(seen.findFlows("mail", { body: secret })).toEqual([]);
  }
});

test("a long result is looked at to its end, and of one that is too long as much as there is room for", () => {
  const line = (at: number) => `Line ${at} of a long file that somebody has read.\n`;
  const lines = Array.from({ length: 15_000 }, (_, at) => line(at)).join("");
  expect(lines.length).toBeGreaterThan(700_000);
  const seen = new SeenTexts([], called("notes", lines));
  for (const at of [0, 1_365, 1_366, 7_000, 14_999])
    expect(seen.findFlows("mail", { body: line(at) }), String(at)).toHaveLength(1);
  for (const chunk of called("notes", lines.replaceAll("Line", "Row"))) seen.add(chunk);
  expect(seen.findFlows("mail", { body: line(14_999).replace("Line", "Row") })).toHaveLength(1);
});

test("a passage is found wherever it lies in a long result", () => {
  for (let before = 65_500; before < 65_560; before++) {
    const seen = new SeenTexts([], called("notes", `${"-".repeat(before)}${secret.slice(0, 24)}--`));
    expect(seen.findFlows("mail", { body: `>${secret}` }), String(before)).toHaveLength(1);
  }
});

test("what is left beside the words of a person flows when it is long enough", () => {
  const seen = new SeenTexts([asked("Salaries 2026: Abe 91,000")], called("notes", secret));
  expect(seen.findFlows("mail", { body: secret })).toMatchObject([
    { excerpt: ", Berta 87,500, Carl 64,000" },
  ]);
});

test("words in lists and names of members are found, and short values that stand side by side are not", () => {
  const seen = new SeenTexts([], called("notes", `${secret}\nAbe Berta Carl Dora Emil Fay`));
  expect(seen.findFlows("mail", { rows: [{ a: 1 }, { deep: [secret] }] })).toMatchObject([
    { argument: "rows" },
  ]);
  expect(seen.findFlows("mail", { map: { [secret]: true } })).toMatchObject([{ argument: "map" }]);
  expect(seen.findFlows("mail", { names: ["Abe", "Berta", "Carl", "Dora", "Emil", "Fay"] })).toEqual([]);
});

test("a result that is read again in pages is still its server's", () => {
  const [call, result] = called("notes", secret.slice(0, 10));
  const id = "again" as ToolCallId;
  const again: Chunk[] = [
    {
      type: "tool_call",
      call: {
        ...{ type: "tool_call", id, name: "meguri__read_result" },
        args: { id: call?.type === "tool_call" && call.call.id },
      },
    },
    {
      type: "tool_result",
      result: { id, status: "ok", content: [{ type: "text", text: secret }] },
      durationMs: 1,
    },
  ];
  const seen = new SeenTexts([], [call, result, ...again] as Chunk[]);
  expect(seen.findFlows("mail", { body: secret })).toMatchObject([{ server: "notes" }]);
});

test("a history and the log that left it count once", () => {
  const chunks = called("notes", secret);
  const [call, result] = chunks;
  if (call?.type !== "tool_call" || result?.type !== "tool_result") throw new Error("No call.");
  const history: ChatMessage[] = [
    { role: "assistant", parts: [call.call] },
    { role: "tool", results: [result.result] },
  ];
  expect(new SeenTexts(history, chunks).findFlows("mail", { body: secret })).toHaveLength(1);
});

test("a flood of one server takes the place of nobody else's words", () => {
  const line = (at: number) => `Line ${at} of a very long log that nobody will ever read.\n`;
  const flood = Array.from({ length: 5_000 }, (_, at) => line(at)).join("");
  const seen = new SeenTexts([], called("notes", secret));
  for (let round = 0; round < 20; round++) {
    for (const chunk of called("logs", flood.replaceAll("Line", `Line ${round}`))) seen.add(chunk);
    expect(seen.findFlows("mail", { body: secret })).toMatchObject([{ server: "notes" }]);
  }
  expect(seen.findFlows("mail", { body: `Line 19 ${4_000} of a very long log` })).toMatchObject([
    { server: "logs" },
  ]);
});

const base64 = (text: string) => Buffer.from(text).toString("base64");
const hostile: Record<string, [returned: (size: number) => string, sent?: (size: number) => string]> = {
  "one letter": [(size) => "a".repeat(size)],
  "a short word": [(size) => "ab".repeat(size / 2), (size) => `${"ab".repeat(11)}.`.repeat(size / 23)],
  "nearly a passage, again and again": [
    (size) => Array.from({ length: size / 24 }, (_, at) => `${"x".repeat(22)}${at % 10}`).join("·"),
    (size) => `${"x".repeat(22)}#`.repeat(size / 23),
  ],
  backslashes: [(size) => "\\".repeat(size)],
  "escapes of a URL": [(size) => "%41%".repeat(size / 4)],
  "Base64 of Base64 of Base64": [(size) => base64(base64(base64("And so on. ".repeat(size / 26))))],
  "short Base64": [(size) => `${base64("These are thirty letters, no more.")}!`.repeat(size / 49)],
};

test.each(Object.entries(hostile))(
  "%s: four times as much costs four times as much",
  (_, [returned, sent = returned]) => {
    const work = (size: number) => {
      const seen = new SeenTexts([], called("notes", returned(size)));
      return seen.findFlows("mail", { body: sent(size) });
    };
    expect(growth(50_000, work)).toBeLessThan(8);
  },
);

test("many short texts: four times as many cost four times as much", () => {
  const work = (count: number) => {
    const content = Array.from({ length: count }, () => ({ type: "text" as const, text: "x".repeat(24) }));
    const seen = new SeenTexts([], called("notes", "", { content }));
    return seen.findFlows("mail", { body: secret });
  };
  // More than is kept, so that room is made in both.
  expect(growth(80_000, work)).toBeLessThan(8);
});

test("words of a person between those of a server, again and again, cost no more either", () => {
  const linesOf = (words: string, size: number) =>
    Array.from({ length: size / 70 }, (_, at) => `${at} ${words} ${at}`);
  const work = (size: number) => {
    const [ours, theirs] = [
      linesOf("lines of a person: line", size),
      linesOf("rows that a tool has found", size),
    ];
    const seen = new SeenTexts([asked(ours.join("\n"))], called("notes", theirs.join("\n")));
    const body = ours.map((one, at) => `${one}#${theirs[at]}#`).join("");
    expect(seen.findFlows("mail", { body })).toHaveLength(1);
  };
  expect(growth(50_000, work)).toBeLessThan(8);
});

test("however much there is, a megabyte is looked at", () => {
  const seen = new SeenTexts([], called("notes", secret));
  const body = `${"-".repeat(2_000_000)}${secret}`;
  expect(seen.findFlows("mail", { body })).toEqual([]);
  expect(seen.findFlows("mail", { body: body.slice(1_500_000) })).toHaveLength(1);
});
