import { expect, test } from "vitest";
import type { ChatMessage } from "@/lib/protocol/message";
import { compareRequests, toRows, toServers } from "./request-parts";

const question: ChatMessage = { role: "user", parts: [{ type: "text", text: "Look" }] };
const asked: ChatMessage = {
  role: "assistant",
  parts: [
    { type: "text", text: "I look." },
    { type: "tool_call", id: "c1" as never, name: "files__list", args: { path: "." } },
  ],
};
const result: ChatMessage = {
  role: "tool",
  results: [{ id: "c1" as never, status: "error", content: [{ type: "text", text: "No such folder." }] }],
};

test("messages are rows with what they say; what the turn before had not is new", () => {
  const rows = toRows([question, asked, result], [question]);
  expect(rows.map(({ kind, name, text, isNew }) => [kind, name, text, isNew])).toEqual([
    ["question", "", "Look", false],
    ["model", "", 'I look.\nfiles__list {"path":"."}', true],
    ["failed", "files__list", "No such folder.", true],
  ]);
  expect(toRows([question, asked], null).every(({ isNew }) => !isNew)).toBe(true);
  // A history that was made shorter is new from where it differs.
  const summary: ChatMessage = { role: "summary", text: "Looked.", keep: 0 };
  expect(toRows([summary, question], [question, asked]).map(({ isNew }) => isNew)).toEqual([true, true]);
});

test("tools stand by their servers, with what they take; one whose schema changed is new", () => {
  const tool = (name: string, type = "object") => ({ name, description: "Does.", inputSchema: { type } });
  const servers = toServers(
    [tool("files__list"), tool("files__read", "array"), tool("final_answer")],
    [tool("files__list"), tool("files__read"), tool("final_answer")],
  );
  expect(servers.map(({ server, tools }) => [server, tools.map(({ name, isNew }) => [name, isNew])])).toEqual(
    [
      [
        "files",
        [
          ["list", false],
          ["read", true],
        ],
      ],
      ["", [["final_answer", false]]],
    ],
  );
  for (const { tokens, tools } of servers)
    expect(tokens).toBe(tools.reduce((sum, each) => sum + each.tokens, 0));
});

test("two requests are compared line by line, without the parts that are the same", () => {
  const request = (system: string, words: string) => ({
    system,
    tools: [],
    messages: [{ role: "user" as const, parts: [{ type: "text" as const, text: words }] }],
    params: { effort: "low" as const },
    model: "scripted/model",
    estimatedTokens: 1,
    wire: null,
  });
  const long = "a".repeat(9_000);
  const compared = compareRequests(request("You help.", "Look"), request("You help.\nIn English.", long));
  expect(compared.same).toEqual(["tools", "params"]);
  expect(compared.before.split("\n")).toEqual(["You help.", JSON.stringify(request("", "Look").messages[0])]);
  const [first, second, third, ...more] = compared.now.split("\n");
  expect([first, second, third?.length, more]).toEqual(["You help.", "In English.", 1_001, []]);
});
