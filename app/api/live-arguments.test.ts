import { afterAll, expect, test } from "vitest";
import { startOpenAiServer, writeCall } from "@/lib/providers/testing/openai-server";
import { cut, hang, type Step, say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { callApi, kinds, type ReadStream, readStream, withApplication } from "./testing/call-api";

const script: { turns: Step[][] } = { turns: [] };
const model = await startOpenAiServer((_: WireRequest) => script.turns.shift() ?? []);
afterAll(() => model.close());
// With a server on: where none is, a call ends the run.
withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { OPENAI_BASE_URL: model.url },
);

async function ask(...turns: Step[][]): Promise<ReadStream> {
  script.turns = turns;
  const body = { message: { text: "Write it" }, model: "openai/test" };
  return readStream(await callApi("POST", "/api/chat", body));
}

const pieces = ({ chunks }: ReadStream) => chunks.filter((chunk) => chunk.type === "tool_input");

test("arguments stand in the log as they were written, with one time, before the call with the same id", async () => {
  const run = await ask(writeCall("a__write", ['{"path": "', "a.md", '"}']), [say("Done.")]);
  expect(kinds(run.chunks)).toBe("iteration tool_input tool_call tool_result iteration text result");
  const call = run.chunks.find((chunk) => chunk.type === "tool_call")?.call;
  expect(call?.args).toEqual({ path: "a.md" });
  expect(pieces(run).map(({ at }) => at !== undefined)).toEqual([true, false, false, false]);
  const exported = await (await callApi("GET", `/api/runs/${run.runId}/events`)).text();
  const lines = exported.split("\n").flatMap((line) => (line ? JSON.parse(line).data : []));
  expect(lines.filter(({ type }) => type === "tool_input")).toMatchObject(
    ["", '{"path": "', "a.md", '"}'].map((content) => ({ id: call?.id, name: "a__write", content })),
  );
  const { messages } = await (await callApi("GET", `/api/conversations/${run.conversationId}`)).json();
  expect(JSON.stringify(messages)).not.toContain("tool_input");
  expect(messages[1].parts).toMatchObject([{ type: "tool_call", id: call?.id }]);
});

test("of long arguments no more than 64 KB are told while they are written, and the call comes whole", async () => {
  const content = "0123456789".repeat(20_000);
  const written = JSON.stringify({ content }).match(/.{1,4000}/g) ?? [];
  const run = await ask(writeCall("a__write", written), [say("Done.")]);
  const told = pieces(run).map((piece) => piece.content);
  expect(told.join("")).toBe(JSON.stringify({ content }).slice(0, 65_536));
  const call = run.chunks.find((chunk) => chunk.type === "tool_call")?.call;
  expect(call?.args).toEqual({ content });
});

test("a line that breaks in the middle of the arguments is asked again, and leaves no call behind", async () => {
  const broken = [...writeCall("a__write", ['{"path": "a', cut])];
  const run = await ask(broken, [say("Better in words.")]);
  expect(kinds(run.chunks)).toBe("iteration tool_input notice text result");
  const { messages } = await (await callApi("GET", `/api/conversations/${run.conversationId}`)).json();
  expect(messages[1].parts).toEqual([{ type: "text", text: "Better in words." }]);
  const item = await (await callApi("GET", `/api/runs/${run.runId}`)).json();
  expect(item.iterations[0].toolCalls).toEqual([]);
});

test("Stop in the middle of the arguments leaves no call behind", async () => {
  script.turns = [[say("I write."), ...writeCall("a__write", ['{"path": "a', hang])]];
  const body = { message: { text: "Write it" }, model: "openai/test" };
  const response = await callApi("POST", "/api/chat", body);
  const runId = response.headers.get("x-run-id") ?? "";
  const log = async () => (await callApi("GET", `/api/runs/${runId}/events`)).text();
  await expect.poll(log, { timeout: 10_000 }).toContain("path");
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  const run = await readStream(response);
  expect(kinds(run.chunks)).toBe("iteration text tool_input result");
  expect(run.chunks.at(-1)).toMatchObject({
    result: { historyDelta: [{ role: "assistant", parts: [{ type: "text", text: "I write." }] }] },
  });
});
