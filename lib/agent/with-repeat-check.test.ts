import { expect, test } from "vitest";
import type { Answer } from "@/lib/protocol/answer";
import type { Chunk, ModelChunk } from "@/lib/protocol/chunk";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { BudgetUsage } from "./budget-usage";
import type { ToolBox } from "./ports";
import { asks, call, type Ended, ok, run, scriptedProvider, stop, text, toolCall } from "./testing/scripted";
import { withArgumentChecks } from "./with-argument-checks";
import { withRepeatCheck } from "./with-repeat-check";

const reader: ToolBox = {
  list: () => [{ name: "demo__read", description: "", inputSchema: { type: "object" } }],
  call: async ({ id }) => ok(id),
};

/** A chain of runs on one script: each `go` continues the one before, with an answer when it is given one. */
function chain(script: ModelChunk[][]) {
  const log: Chunk[] = [];
  const provider = scriptedProvider(...script);
  let history = asks;
  const go = async (answer?: Answer): Promise<Ended> => {
    const [asked] = pendingRequests(log);
    if (answer && asked) log.push({ type: "answer", requestId: asked.requestId, answer });
    const budgetUsage = new BudgetUsage(log);
    const tools = withRepeatCheck(withArgumentChecks(reader), budgetUsage);
    const ended = await run({ provider, tools, history }, (chunk) => {
      log.push(chunk);
      budgetUsage.add(chunk);
    });
    history = [...history, ...ended.result.historyDelta];
    return ended;
  };
  return { go, provider };
}

const turn = (...calls: ModelChunk[]): ModelChunk[] => [...calls, stop("tool_use")];
const same = (id: string, path = "/a") => call(id, "demo__read", { path });
const last = [text("Done."), stop("end_turn")];
const resultsOf = ({ log }: Ended) =>
  log.flatMap((chunk) => (chunk.type === "tool_result" ? [`${chunk.result.id} ${chunk.result.status}`] : []));

test("the third turn in a row with the same call is asked about; another one in between counts from the start", async () => {
  const { go } = chain(
    [same("1"), same("2"), same("x", "/b"), same("3"), same("4"), same("5"), same("6")]
      .map((one) => turn(one))
      .concat([last]),
  );
  const first = await go();
  expect(resultsOf(first)).toEqual(["1 ok", "2 ok", "x ok", "3 ok", "4 ok"]);
  expect(first.result.stopReason).toBe("budget");
  expect(first.log.at(-2)).toMatchObject({ limit: "repeat", of: 3, used: { repeat: 3 } });
  const second = await go({ decision: "more" });
  expect(resultsOf(second)).toEqual(["5 ok", "6 ok"]);
  expect(second.result.stopReason).toBe("end_turn");
});

test("a tool that does not exist costs three turns, and no fourth without a person", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `${index}`);
  const { go, provider } = chain(ids.map((id) => turn(call(id, "nobody__knows"))));
  const first = await go();
  expect(resultsOf(first)).toEqual(["0 error", "1 error"]);
  expect(first.result.stopReason).toBe("budget");
  expect(provider.turns).toHaveLength(3);
});

test("so it does with other arguments each time; those of a tool that exists may be wrong as often", async () => {
  const times = Array.from({ length: 5 }, (_, index) => `${index}`);
  const unknown = chain(times.map((id) => turn(call(id, "nobody__knows", { id }))));
  expect((await unknown.go()).result.stopReason).toBe("budget");
  expect(unknown.provider.turns).toHaveLength(3);
  const wrong = times.map((id) =>
    turn({ type: "tool_call", call: { ...toolCall(id, "demo__read"), malformed: id } }),
  );
  const known = chain([...wrong, last]);
  expect(resultsOf(await known.go())).toEqual(times.map((id) => `${id} error`));
  expect(known.provider.turns).toHaveLength(6);
});

test("a tool that has run before its server went is not one that never was", () => {
  const budgetUsage = new BudgetUsage();
  for (const id of ["1", "2", "3"]) {
    for (const chunk of turn(same(id, id))) budgetUsage.add(chunk);
    budgetUsage.add({ type: "tool_start", id: toolCall(id).id, args: {} });
  }
  for (const chunk of turn(same("4", "4"))) budgetUsage.add(chunk);
  expect(budgetUsage.repetition(toolCall("4").id)).toBeUndefined();
});

test("a call that was sent is not asked about when its server goes while it waits", () => {
  const budgetUsage = new BudgetUsage();
  for (const id of ["1", "2", "3"]) for (const chunk of turn(same(id, id))) budgetUsage.add(chunk);
  const { id } = toolCall("3");
  expect(budgetUsage.repetition(id)).toBe("names");
  budgetUsage.add({ type: "tool_start", id, args: {} });
  expect(budgetUsage.repetition(id)).toBeUndefined();
});

test("eight equal calls of one turn all run, and count as one", async () => {
  const eight = (turnName: string) =>
    turn(...Array.from({ length: 8 }, (_, index) => same(`${turnName}${index}`)));
  const { go } = chain([eight("a"), eight("b"), eight("c"), last]);
  const first = await go();
  expect(resultsOf(first)).toHaveLength(16);
  expect(first.log.filter(({ type }) => type === "budget_request")).toHaveLength(1);
  expect(resultsOf(await go({ decision: "more" }))).toHaveLength(8);
});

test("told to finish, the repeated calls are not run", async () => {
  const { go } = chain([turn(same("1")), turn(same("2")), turn(same("3")), last]);
  await go();
  const second = await go({ decision: "finish" });
  expect(resultsOf(second)).toEqual(["3 error"]);
  expect(second.result.stopReason).toBe("end_turn");
});

test("agents side by side, and turns that broke off, repeat nothing", () => {
  const budgetUsage = new BudgetUsage();
  const add = (chunks: Chunk[], agent: string) => {
    for (const chunk of chunks) budgetUsage.add({ ...chunk, agent });
  };
  for (const agent of ["one", "two", "three"]) add(turn(same(agent)), agent);
  expect(budgetUsage.repetition(toolCall("three").id)).toBeUndefined();
  add([same("broken", "/b")], "one");
  add([{ type: "iteration", index: 2 }, ...turn(same("again"))], "one");
  expect(budgetUsage.repetition(toolCall("again").id)).toBeUndefined();
  add(turn(same("third")), "one");
  expect(budgetUsage.repetition(toolCall("third").id)).toBe("calls");
});
