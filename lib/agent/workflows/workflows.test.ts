import { describe, expect, test } from "vitest";
import type { Provider, ToolBox, Turn } from "@/lib/agent/ports";
import {
  adder,
  assertAccepted,
  call,
  collect,
  ok,
  scriptedProvider,
  stop,
  text,
  user,
} from "@/lib/agent/testing/scripted";
import { withIntents } from "@/lib/agent/testing/with-intents";
import { withApproval } from "@/lib/agent/with-approval";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import { modelHistory } from "@/lib/protocol/history";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import { executeAgentStream } from "./execute-agent-stream";
import { exitLoopTool } from "./exit-loop";
import { llmAgent } from "./llm-agent";
import { loopAgent } from "./loop-agent";
import { parallelAgent } from "./parallel-agent";
import { sequentialAgent } from "./sequential-agent";
import { type StepEnd, step } from "./step";
import type { Agent, WorkflowContext } from "./types";

const history = [user("A story about a cat")];
const steps = (log: Chunk[]): StepChunk[] => log.filter((chunk) => chunk.type !== "result");
const path = (chunk: Chunk) => (chunk.type === "agent" ? `${chunk.agent} ${chunk.event}` : []);
const go = (
  agent: Agent,
  provider: Provider,
  past: StepChunk[] = [],
  tools: ToolBox = adder,
  signal = new AbortController().signal,
) => collect(executeAgentStream(agent, { provider, tools, history, signal, past }));

/** Answers by what the system prompt says, as a model would: no script order to hide behind. */
function actor(lines: (turn: Turn) => Parameters<typeof scriptedProvider>[0]) {
  const systems: string[] = [];
  const turns: Turn[] = [];
  const provider: Provider = {
    async *stream(turn) {
      systems.push(turn.system);
      turns.push(turn);
      assertAccepted(modelHistory(turn.history));
      for (const event of lines(turn)) {
        if (event instanceof Error) throw event;
        yield event;
      }
    },
  };
  return Object.assign(provider, { systems, turns });
}

const pipeline = () =>
  sequentialAgent("pipeline", [
    llmAgent({ name: "writer", instruction: "WRITE", outputKey: "doc", includeContents: "none" }),
    loopAgent(
      "refine",
      [
        llmAgent({
          name: "critic",
          instruction: "CRITIC of {doc}",
          outputKey: "critique",
          includeContents: "none",
        }),
        llmAgent({
          name: "refiner",
          instruction: "REFINE {doc} BY {critique}",
          outputKey: "doc",
          includeContents: "none",
          canExitLoop: true,
        }),
      ],
      5,
    ),
  ]);

const drafts = (turn: Turn) => {
  const answered = turn.history.at(-1)?.role === "tool";
  if (turn.system === "WRITE") return [text("v1"), stop("end_turn")];
  if (turn.system.startsWith("CRITIC"))
    return [text(turn.system.endsWith("v3") ? "No major issues found." : "more"), stop("end_turn")];
  if (turn.system.includes("No major"))
    return [call("save", "fs__save"), call("exit", exitLoopTool), stop("tool_use")];
  if (answered) throw new Error("no turn may follow exit_loop");
  const version = Number(turn.system.match(/v(\d)/)?.[1]);
  return [text(`v${version + 1}`), stop("end_turn")];
};

/** Says that it works, and then does. */
const working = (name: string, work: (context: WorkflowContext) => StepEnd): Agent => ({
  name,
  async *run(context, at) {
    return yield* step(context, at, async function* () {
      yield { type: "notice", kind: "server", message: "working", agent: at };
      return work(context);
    });
  },
});

const sleep = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

const counter = (onWork: () => void = () => {}): Agent => ({
  name: "counter",
  async *run(context, at) {
    const count = Number(context.state.count ?? 0) + 1;
    return yield* step(context, at, async function* () {
      onWork();
      yield { type: "text", content: `Counter: ${count}`, agent: at };
      yield { type: "usage", stopReason: "end_turn", inputTokens: 0, outputTokens: 0, agent: at };
      return { output: String(count), state: { count: String(count) }, escalate: count === 3 };
    });
  },
});

describe("a pipeline", () => {
  test("writes, then goes round with critic and refiner until exit_loop; one log, one result", async () => {
    const provider = actor(drafts);
    const { log, result } = await go(pipeline(), provider, [], withIntents(adder));
    expect(provider.systems).toEqual([
      "WRITE",
      "CRITIC of v1",
      "REFINE v1 BY more",
      "CRITIC of v2",
      "REFINE v2 BY more",
      "CRITIC of v3",
      "REFINE v3 BY No major issues found.",
    ]);
    const ends = log.flatMap(path).filter((one) => !one.endsWith("start"));
    expect(ends).toEqual([
      "pipeline/writer end",
      "pipeline/refine.1/critic end",
      "pipeline/refine.1/refiner end",
      "pipeline/refine.2/critic end",
      "pipeline/refine.2/refiner end",
      "pipeline/refine.3/critic end",
      "pipeline/refine.3/refiner escalate",
      "pipeline/refine escalate",
    ]);
    expect(result).toMatchObject({ stopReason: "end_turn", iterationsUsed: 7 });
    expect(result.steps?.at(-1)).toEqual({
      agent: "pipeline/refine",
      event: "escalate",
      rounds: 3,
      by: "refiner",
    });
    expect(new Set(result.historyDelta.map(({ agent }) => agent)).size).toBe(7);
    assertAccepted(modelHistory([...history, ...result.historyDelta, user("next")]));
    expect(provider.turns[6]?.history).toEqual(history);
  });

  test("keeps its document when the model writes words beside exit_loop", async () => {
    const provider = actor((turn) =>
      turn.system.includes("No major")
        ? [text("The document is fine, I leave."), call("exit", exitLoopTool), stop("tool_use")]
        : drafts(turn),
    );
    const { log } = await go(pipeline(), provider);
    const left = log.find((chunk) => chunk.type === "agent" && chunk.event === "escalate");
    expect(left).toMatchObject({ agent: "pipeline/refine.3/refiner", output: "", state: {} });
  });

  test("that waits in its third round goes on there, in another process", async () => {
    const sent: string[] = [];
    const box = (open: OpenCalls) =>
      withApproval(
        withIntents({
          list: () => [],
          call: async ({ id }) => {
            sent.push(id);
            return ok(id);
          },
        }),
        { policy: ({ name }) => (name === "fs__save" ? { ask: "rule" } : "allow"), open },
      );
    const first = await go(pipeline(), actor(drafts), [], box(new Map()));
    expect(first.result).toMatchObject({ stopReason: "awaiting_approval", iterationsUsed: 7 });
    expect(sent).toEqual([]);
    const past = JSON.parse(JSON.stringify(steps(first.log))) as StepChunk[];
    past.push({ type: "answer", requestId: "save", id: "save" as never, answer: { decision: "approve" } });
    const provider = actor(() => {
      throw new Error("no model turn is needed");
    });
    const second = await go(pipeline(), provider, past, box(openCalls(past)));
    expect(sent).toEqual(["save"]);
    expect(second.log.map((chunk) => (chunk.type === "agent" ? path(chunk) : chunk.type))).toEqual([
      "tool_start",
      "tool_result",
      "pipeline/refine.3/refiner escalate",
      "pipeline/refine escalate",
      "result",
    ]);
    assertAccepted(
      modelHistory([...history, ...first.result.historyDelta, ...second.result.historyDelta, user("next")]),
    );
  });

  test("that was cut off anywhere by kill -9 comes to the same end, and no finished step runs twice", async () => {
    const whole = await go(pipeline(), actor(drafts), [], withIntents(adder));
    const all = steps(whole.log);
    for (let cut = 0; cut <= all.length; cut++) {
      const past = all.slice(0, cut);
      const ended = past.filter((chunk) => chunk.type === "agent" && chunk.event !== "start").length;
      const box = withApproval(withIntents(adder), {
        policy: () => "allow",
        open: openCalls(past),
        safeToRepeat: () => true,
      });
      const rest = await go(pipeline(), actor(drafts), past, box);
      expect(rest.result.stopReason, `cut at ${cut}`).toBe("end_turn");
      const after = rest.log.filter((chunk) => chunk.type === "agent" && chunk.event !== "start");
      expect(after, `cut at ${cut}`).toHaveLength(8 - ended);
      assertAccepted(modelHistory([...history, ...rest.result.historyDelta, user("next")]));
    }
  });

  test("whose refiner calls an MCP tool named exit_loop is not controlled by it", async () => {
    const provider = actor((turn) => {
      if (!turn.system.startsWith("REFINE")) return drafts(turn);
      if (turn.history.at(-1)?.role === "tool") return [text("v9"), stop("end_turn")];
      return [call("evil", "evil__exit_loop"), stop("tool_use")];
    });
    const { result } = await go(pipeline(), provider);
    expect(result.steps?.at(-1)).toMatchObject({ agent: "pipeline/refine", event: "end", rounds: 5 });
  });
});

describe("a custom agent", () => {
  test("counts without a model and leaves the loop, and what it does happens once", async () => {
    let effects = 0;
    const count = () => loopAgent("count", [counter(() => effects++)], 10);
    const whole = await go(count(), scriptedProvider());
    expect(whole.log.flatMap(path)).toEqual([
      "count.1/counter start",
      "count.1/counter end",
      "count.2/counter start",
      "count.2/counter end",
      "count.3/counter start",
      "count.3/counter escalate",
      "count escalate",
    ]);
    expect(whole.result.finalText).toBe("Counter: 3");
    expect(effects).toBe(3);
    await go(count(), scriptedProvider(), steps(whole.log).slice(0, 8));
    expect(effects).toBe(4);
  });

  test("that escalates in the middle of a round keeps the rest of it from running", async () => {
    const never: Agent = {
      name: "never",
      run: () => {
        throw new Error("it ran");
      },
    };
    const leave = working("leave", () => ({ output: "", state: {}, escalate: true }));
    const { result } = await go(loopAgent("round", [leave, never], 3), scriptedProvider());
    expect(result).toMatchObject({ stopReason: "end_turn" });
    expect(result.steps?.at(-1)).toMatchObject({ rounds: 1, by: "leave" });
  });

  test("that throws ends the run with a sentence that names it and its round, and keeps what came before", async () => {
    const broken = working("broken", ({ state }) => {
      if (state.count === "2") throw new Error("the disk is full");
      return { output: "", state: {} };
    });
    const { result } = await go(loopAgent("round", [counter(), broken], 5), scriptedProvider());
    expect(result).toMatchObject({
      stopReason: "error",
      error: { code: "agent_failed", message: "The agent broken (round 2) failed: the disk is full" },
      finalText: "Counter: 2",
    });
  });

  test("that never yields ends with the time of the run, or with Stop, and is named", async () => {
    const deaf: Agent = {
      name: "deaf",
      async *run(context, at) {
        return yield* step(context, at, async function* () {
          yield { type: "text", content: "…", agent: at };
          await new Promise(() => {});
          return { output: "", state: {} };
        });
      },
    };
    const request = { provider: scriptedProvider(), history, signal: new AbortController().signal };
    const late = await collect(executeAgentStream(deaf, { ...request, timeoutMs: 20 }));
    expect(late.result).toMatchObject({ stopReason: "timeout", timedOut: true });
    expect(JSON.stringify(late.log)).toContain("The agent deaf had not ended");
    const none = await collect(
      executeAgentStream(deaf, { ...request, timeoutMs: 3_600_000, timeUsedMs: 3_600_000 }),
    );
    expect(none.result).toMatchObject({ stopReason: "timeout", finalText: "" });
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 20);
    const stopped = await collect(executeAgentStream(deaf, { ...request, signal: abort.signal }));
    expect(stopped.result.stopReason).toBe("aborted");
  });

  test("that leaves a loop where there is none is told so", async () => {
    const leave = working("leave", () => ({ output: "", state: {}, escalate: true }));
    const { result } = await go(sequentialAgent("s", [counter(), leave]), scriptedProvider());
    expect(result.error?.message).toBe("The agent leave wants to leave a loop, but there is none around it.");
    expect(result.finalText).toBe("Counter: 1");
  });
});

describe("an instruction", () => {
  test("that needs a key which nothing has set ends the run before it is sent", async () => {
    const provider = scriptedProvider();
    const agent = loopAgent("r", [llmAgent({ name: "critic", instruction: "Look at {doc}" })], 2);
    const { result } = await go(agent, provider);
    expect(provider.turns).toHaveLength(0);
    expect(result.error?.message).toMatch(
      /^The agent critic \(round 1\) needs \{doc\}, which nothing before it has put out/,
    );
  });

  test("may hold keys that can be missing, and JSON", async () => {
    const provider = actor(() => [text("ok"), stop("end_turn")]);
    await go(llmAgent({ name: "a", instruction: 'Hi {name?}! Answer {"a": 1}.' }), provider);
    expect(provider.systems).toEqual(['Hi ! Answer {"a": 1}.']);
  });
});

describe("parallel branches", () => {
  test("wait apart, and are joined in the order of the agents", async () => {
    const box = (open: OpenCalls) =>
      withApproval(withIntents(adder), { policy: () => ({ ask: "rule" }), open });
    const both = () =>
      sequentialAgent("p", [
        parallelAgent("both", [
          llmAgent({ name: "left", instruction: "LEFT", outputKey: "l" }),
          llmAgent({ name: "right", instruction: "RIGHT", outputKey: "r" }),
        ]),
        llmAgent({ name: "join", instruction: "JOIN {l} {r}" }),
      ]);
    const provider = () =>
      actor(({ system, history: messages }) => {
        if (system.startsWith("JOIN")) return [text(system), stop("end_turn")];
        if (messages.at(-1)?.role === "tool") return [text(`done ${system}`), stop("end_turn")];
        return [call(`c${system}`, "x__y"), stop("tool_use")];
      });
    const one = await go(both(), provider(), [], box(new Map()));
    expect(one.result).toMatchObject({ stopReason: "awaiting_approval", historyDelta: [] });
    const past = steps(one.log);
    const allow = (id: string): StepChunk => ({
      type: "answer",
      requestId: id,
      id: id as never,
      answer: { decision: "approve" },
    });
    past.push(allow("cRIGHT"));
    const two = await go(both(), provider(), past, box(openCalls(past)));
    expect(two.result.stopReason).toBe("awaiting_approval");
    past.push(...steps(two.log), allow("cLEFT"));
    const three = await go(both(), provider(), past, box(openCalls(past)));
    expect(three.result).toMatchObject({ stopReason: "end_turn", finalText: "JOIN done LEFT done RIGHT" });
    assertAccepted(
      modelHistory([...history, ...two.result.historyDelta, ...three.result.historyDelta, user("next")]),
    );
  });

  test("are stopped together, with every open call closed and one result", async () => {
    const abort = new AbortController();
    const slow = withIntents({
      list: () => [],
      call: async ({ id }, { signal }) => {
        await sleep(3000, signal);
        return ok(id);
      },
    });
    const agents = ["a", "b"].map((name) => llmAgent({ name, instruction: name }));
    setTimeout(() => abort.abort(), 20);
    const provider = actor(({ system }) => [call(`c${system}`, "x__y"), stop("tool_use")]);
    const { log, result } = await go(parallelAgent("both", agents), provider, [], slow, abort.signal);
    expect(result.stopReason).toBe("aborted");
    expect(log.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result.status : []))).toEqual([
      "unknown",
      "unknown",
    ]);
  });

  test("end with the fault of one before the question of another, whatever their order", async () => {
    const waits = working("waits", () => ({ stop: "awaiting_approval" }));
    const error = { code: "agent_failed", message: "The disk is full." };
    const fails = working("fails", () => ({ stop: "error", error }));
    for (const agents of [
      [waits, fails],
      [fails, waits],
    ]) {
      const { result } = await go(parallelAgent("both", agents), scriptedProvider());
      expect(result).toMatchObject({ stopReason: "error", error });
    }
    const quiet = working("quiet", () => ({ output: "", state: {} }));
    const { result } = await go(parallelAgent("both", [quiet, waits]), scriptedProvider());
    expect(result.stopReason).toBe("awaiting_approval");
  });
});

test("an agent that takes a moment to end after Stop still says how", async () => {
  const abort = new AbortController();
  const tidy: Agent = {
    name: "tidy",
    async *run(context, at) {
      yield { type: "notice", kind: "server", message: "working", agent: at };
      abort.abort();
      // Timers fire in the order of their times, however slow the machine is.
      await new Promise((resolve) => setTimeout(resolve, 50));
      yield { type: "notice", kind: "server", message: "put away", agent: at };
      return { stop: context.signal.aborted ? "aborted" : "error" };
    },
  };
  const { log, result } = await go(tidy, scriptedProvider(), [], adder, abort.signal);
  expect(log.flatMap((chunk) => (chunk.type === "notice" ? chunk.message : []))).toEqual([
    "working",
    "put away",
  ]);
  expect(result.stopReason).toBe("aborted");
});
