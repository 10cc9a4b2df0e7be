import { expect, test } from "vitest";
import type { Answer } from "@/lib/protocol/answer";
import type { Chunk, ModelChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { openCalls } from "@/lib/protocol/open-calls";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import type { Budget } from "@/lib/protocol/usage";
import { BudgetUsage } from "./budget-usage";
import type { Provider, ToolBox } from "./ports";
import {
  adder,
  asks,
  call,
  type Ended,
  ended,
  ok,
  run,
  scriptedProvider,
  stop,
  text,
} from "./testing/scripted";
import { withIntents } from "./testing/with-intents";
import { withBudget, withCallBudget } from "./with-budget";

/** A chain of runs on one script: each `go` continues the one before, with an answer when it is given one. */
function chain(
  budget: Budget,
  script: ModelChunk[][],
  tools: ToolBox = adder,
  giveUp?: (id: ToolCallId) => void,
  isPriced = true,
) {
  const log: Chunk[] = [];
  const provider = scriptedProvider(...script);
  let history = asks;
  const go = async (answer?: Answer): Promise<Ended> => {
    const [asked] = pendingRequests(log);
    if (answer && asked) log.push({ type: "answer", requestId: asked.requestId, answer });
    const budgetUsage = new BudgetUsage(log);
    const ended = await run(
      {
        provider: withBudget(provider, { budget, budgetUsage, isPriced }),
        tools: withCallBudget(withIntents(tools), { budget, budgetUsage, ...(giveUp && { giveUp }) }),
        history,
        sent: [...openCalls(log)].flatMap(([id, { sent }]) => (sent ? [id] : [])),
      },
      (chunk) => {
        log.push(chunk);
        budgetUsage.add(chunk);
      },
    );
    history = [...history, ...ended.result.historyDelta];
    return ended;
  };
  return { go, provider, log };
}

const turn = (...ids: string[]) => [...ids.map((id) => call(id, undefined, { id })), stop("tool_use")];
const last = [text("Done."), stop("end_turn")];
const resultsOf = ({ log }: Ended) =>
  log.flatMap((chunk) => (chunk.type === "tool_result" ? [[chunk.result.id, chunk.result.status]] : []));

test("tokens that are used up are asked about before the next call, and as many again go on", async () => {
  const { go, provider } = chain({ tokens: 2 }, [turn("a"), turn("b"), last]);
  const first = await go();
  expect(first.kinds).toBe("iteration tool_call usage budget_request result");
  expect(first.result.stopReason).toBe("budget");
  expect(first.log.at(-2)).toMatchObject({ limit: "tokens", of: 2, used: { tokens: 2, toolCalls: 0 } });
  const second = await go({ decision: "more" });
  expect(second.kinds).toBe("tool_start tool_result iteration tool_call usage budget_request result");
  expect(second.log.at(-2)).toMatchObject({ limit: "tokens", of: 4, used: { tokens: 4, toolCalls: 1 } });
  const third = await go({ decision: "more", budget: { tokens: 100 } });
  expect(third.result).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
  expect(provider.turns).toHaveLength(3);
});

test("what runs out while a tool works is asked about before the next turn", async () => {
  const costly: ToolBox = {
    list: () => [],
    call: async ({ id }, { emit }) => {
      await emit({ type: "usage", inputTokens: 50, outputTokens: 50 });
      return ok(id);
    },
  };
  const { go, provider } = chain({ tokens: 100 }, [turn("a"), last], costly);
  const first = await go();
  expect(first.kinds).toBe(
    "iteration tool_call usage tool_start usage tool_result iteration budget_request result",
  );
  expect(provider.turns).toHaveLength(1);
  expect((await go({ decision: "more" })).kinds).toBe("iteration text usage result");
});

test("calls that no longer fit wait for one answer together, and the others run", async () => {
  const { go } = chain({ toolCalls: 2 }, [turn("a", "b", "c", "d"), last]);
  const first = await go();
  expect(first.result.stopReason).toBe("budget");
  expect(resultsOf(first)).toEqual([
    ["a", "ok"],
    ["b", "ok"],
  ]);
  expect(first.log.filter(({ type }) => type === "budget_request")).toMatchObject([
    { limit: "toolCalls", of: 2, used: { toolCalls: 2 } },
  ]);
  const second = await go({ decision: "more" });
  expect(resultsOf(second)).toEqual([
    ["c", "ok"],
    ["d", "ok"],
  ]);
  expect(second.result).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
});

test("told to finish, open calls are not run and the model has one last turn without tools", async () => {
  const { go, provider } = chain({ toolCalls: 1 }, [turn("a", "b"), last]);
  await go();
  const second = await go({ decision: "finish" });
  expect(second.kinds).toBe("tool_result iteration text usage result");
  expect(resultsOf(second)).toEqual([["b", "error"]]);
  expect(provider.turns[1]?.toolChoice).toBe("none");
  expect(second.result).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
});

test("a model that calls on after it was told to finish is not asked again", async () => {
  const { go, provider } = chain({ tokens: 1 }, [turn("a"), turn("b"), last]);
  await go();
  const second = await go({ decision: "finish" });
  expect(second.kinds).toBe("tool_result iteration tool_call usage tool_result iteration result");
  expect(resultsOf(second)).toEqual([
    ["a", "error"],
    ["b", "error"],
  ]);
  expect(second.result.stopReason).toBe("end_turn");
  expect(provider.turns).toHaveLength(2);
});

test("told to stop, the run ends with every call answered", async () => {
  const { go, provider } = chain({ toolCalls: 1 }, [turn("a", "b"), last]);
  await go();
  const second = await go({ decision: "stop" });
  expect(second.kinds).toBe("tool_result iteration result");
  expect(resultsOf(second)).toEqual([["b", "error"]]);
  expect(second.result.stopReason).toBe("aborted");
  expect(provider.turns).toHaveLength(1);
});

test("a call that was sent and waits is not called unsent when the person has the run finished", async () => {
  const asking: ToolBox = { ...adder, call: async () => ({ waiting: "awaiting_input" }) };
  const given: string[] = [];
  const { go, provider } = chain({ toolCalls: 1 }, [turn("a", "b"), last], asking, (id) => given.push(id));
  await go();
  const second = await go({ decision: "finish" });
  expect(resultsOf(second)).toEqual([
    ["a", "unknown"],
    ["b", "error"],
  ]);
  expect(given).toEqual(["a"]);
  expect(second.log).toContainEqual(
    expect.objectContaining({
      result: expect.objectContaining({ status: "unknown", reason: "unfinished" }),
    }),
  );
  expect(provider.turns).toHaveLength(2);
  expect(second.result).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
});

test("told to finish while no server is on any more, the model has its last turn too", async () => {
  let offered = adder.list();
  const tools: ToolBox = { ...adder, list: () => offered };
  const { go } = chain({ toolCalls: 1 }, [turn("a", "b"), last], tools);
  await go();
  offered = [];
  expect((await go({ decision: "finish" })).result).toMatchObject({
    stopReason: "end_turn",
    finalText: "Done.",
  });
});

test("a run that is continued after Stop is asked about again at once", async () => {
  const { go } = chain({ tokens: 1 }, [turn("a"), last]);
  await go();
  await go({ decision: "stop" });
  expect((await go()).kinds).toBe("iteration budget_request result");
});

test("a person's word on the run holds over a wait for something else, and ends with the run", () => {
  const asked: Chunk = { type: "budget_request", requestId: "q", limit: "tokens", of: 1, used: {} };
  const budgetUsage = new BudgetUsage([
    asked,
    { type: "answer", requestId: "q", answer: { decision: "finish" } },
  ]);
  budgetUsage.add(ended("budget"));
  expect(budgetUsage.verdict).toBe("finish");
  budgetUsage.add(ended("end_turn"));
  expect(budgetUsage.verdict).toBeUndefined();
});

test("money counts where its price is known", async () => {
  const paid: ModelChunk[] = [
    call("a"),
    { type: "usage", stopReason: "tool_use", inputTokens: 1, outputTokens: 1, cost: 0.02 },
  ];
  const { go } = chain({ cost: 0.01 }, [paid, last]);
  expect((await go()).log.at(-2)).toMatchObject({ limit: "cost", of: 0.01, used: { cost: 0.02 } });
});

test("money over a model without a price is asked about before the first turn, and once", async () => {
  const { go, provider } = chain({ cost: 0.5 }, [turn("a"), last], adder, undefined, false);
  const first = await go();
  expect(first.kinds).toBe("iteration budget_request result");
  expect(first.log.at(-2)).toMatchObject({ limit: "price", of: 0.5 });
  expect(provider.turns).toHaveLength(0);
  expect((await go({ decision: "more" })).result).toMatchObject({
    stopReason: "end_turn",
    finalText: "Done.",
  });
});

test("a model without a price is not asked about where no money is counted", async () => {
  const { go } = chain({ tokens: 100 }, [last], adder, undefined, false);
  expect((await go()).result.stopReason).toBe("end_turn");
});

test("the time of the runs counts, the time of the answers does not", () => {
  const budgetUsage = new BudgetUsage([
    { type: "iteration", index: 1, at: 1_000 },
    { type: "usage", stopReason: "end_turn", inputTokens: 1, outputTokens: 1, at: 2_500 },
    { ...ended("budget"), at: 3_000 },
    { type: "iteration", index: 2, at: 900_000 },
    { ...ended("end_turn"), at: 901_000 },
  ]);
  expect(budgetUsage.overBeforeTurn({ timeMs: 3_001 })).toBeUndefined();
  expect(budgetUsage.overBeforeTurn({ timeMs: 3_000 })).toBe("timeMs");
});

test("a call that was let go but not sent costs nothing", async () => {
  const refusing: ToolBox = { ...adder, call: async ({ id }) => ({ ...ok(id), status: "error" }) };
  const budget = { toolCalls: 1 };
  const budgetUsage = new BudgetUsage();
  const provider: Provider = scriptedProvider(turn("a"), turn("b"), last);
  const tools = withCallBudget(refusing, { budget, budgetUsage });
  const { result } = await run({ provider, tools }, (chunk) => budgetUsage.add(chunk));
  expect(result.stopReason).toBe("end_turn");
});
