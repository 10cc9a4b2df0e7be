import { describe, expect, test } from "vitest";
import type { Answer } from "@/lib/protocol/answer";
import type { ApprovalRequest, Chunk } from "@/lib/protocol/chunk";
import { modelContent, openToolCalls } from "@/lib/protocol/history";
import { openCalls } from "@/lib/protocol/open-calls";
import type { Provider, ToolBox } from "./ports";
import { asks, call, ok, run, scriptedProvider, stop, text, toolCall, user } from "./testing/scripted";
import { Session } from "./testing/session";
import { withIntents } from "./testing/with-intents";
import { type ApprovalOptions, type FlowVerdict, type Verdict, withApproval } from "./with-approval";

const turn = [
  call("a", "fs__read", { path: "x" }),
  call("b", "fs__delete", { path: "/" }),
  call("c", "fs__read"),
  stop("tool_use"),
];
const answers = () => scriptedProvider([text("Done."), stop("end_turn")]);

/** Runs of one chain whose tools note what is sent; deleting asks unless the options say otherwise. */
class Guarded extends Session {
  sent: [string, unknown][] = [];
  definitions: unknown[] = [];
  options: Partial<ApprovalOptions> = {};

  go(provider: Provider, onChunk?: (chunk: Chunk) => unknown) {
    const real: ToolBox = withIntents({
      list: () => [],
      call: async ({ id, args, definition }) => {
        this.sent.push([id, args]);
        this.definitions.push(definition);
        return ok(id, id);
      },
    });
    const policy = ({ name }: { name: string }): Verdict =>
      name === "fs__delete" ? { ask: "rule" } : "allow";
    return this.run(provider, (open) => withApproval(real, { policy, open, ...this.options }), onChunk);
  }

  /** A run that was killed after it had noted that `b` is being sent. */
  static async lost(): Promise<Guarded> {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.answer("b", { decision: "approve" });
    session.log.push({ type: "tool_start", id: toolCall("b").id, args: { path: "/" } });
    session.crash();
    session.sent = [];
    return session;
  }
}

describe("what a call carries from other servers", () => {
  const flow = { server: "notes", tool: "read", argument: "path", characters: 30, excerpt: "…" };
  const session = (verdict: FlowVerdict) => {
    const guarded = new Guarded();
    guarded.options.flows = {
      find: async ({ id }) => (id === "a" ? [flow] : []),
      policy: async () => verdict,
    };
    guarded.options.policy = () => "allow";
    return guarded;
  };
  const startOf = (chunks: readonly Chunk[], id: string) =>
    chunks.find((chunk) => chunk.type === "tool_start" && chunk.id === id);

  test("is asked about, and goes with a yes; the intent says what goes", async () => {
    const guarded = session("ask");
    await guarded.go(scriptedProvider(turn));
    expect(guarded.log).toContainEqual(
      expect.objectContaining({
        type: "approval_request",
        requestId: "a",
        reason: "data_flow",
        flows: [flow],
      }),
    );
    expect(guarded.sent.map(([id]) => id)).toEqual(["b", "c"]);
    // Nobody has said anything.
    await guarded.go(answers());
    expect(guarded.sent.map(([id]) => id)).toEqual(["b", "c"]);
    guarded.answer("a", { decision: "approve" });
    await guarded.go(answers());
    expect(guarded.sent.map(([id]) => id)).toEqual(["b", "c", "a"]);
    expect(startOf(guarded.log, "a")).toMatchObject({ flows: [flow] });
    expect(startOf(guarded.log, "b")).not.toHaveProperty("flows");
  });

  test("is refused by a rule, and marked where one allows it", async () => {
    const refused = session({ deny: "Not to them." });
    await refused.go(scriptedProvider(turn, [text("I see."), stop("end_turn")]));
    expect(refused.sent.map(([id]) => id)).toEqual(["b", "c"]);
    const marked = session("allow");
    await marked.go(scriptedProvider(turn, [text("Done."), stop("end_turn")]));
    expect(startOf(marked.log, "a")).toMatchObject({ flows: [flow] });
  });

  test("is told where something else is asked, and a yes to that covers it", async () => {
    const guarded = session("ask");
    guarded.options.policy = ({ id }) => (id === "a" ? { ask: "rule" } : "allow");
    await guarded.go(scriptedProvider(turn));
    expect(guarded.log).toContainEqual(
      expect.objectContaining({ requestId: "a", reason: "rule", flows: [flow] }),
    );
    guarded.answer("a", { decision: "approve" });
    await guarded.go(answers());
    expect(guarded.sent.map(([id]) => id)).toContain("a");
  });
});

describe("asking", () => {
  test("the run ends with the call open, after the others have run", async () => {
    const session = new Guarded();
    const { kinds, result } = await session.go(scriptedProvider(turn));
    expect(kinds).toBe(
      "iteration tool_call tool_call tool_call usage tool_start approval_request tool_start tool_result tool_result result",
    );
    expect(result.stopReason).toBe("awaiting_approval");
    expect(result.historyDelta[1]).toMatchObject({ results: [{ id: "a" }, { id: "c" }] });
    expect(session.sent).toEqual([
      ["a", { path: "x" }],
      ["c", {}],
    ]);
  });

  test("a rule that denies answers the call without asking, and the model reads why", async () => {
    const session = new Guarded();
    session.options.policy = ({ id }) => (id === "b" ? { deny: "Never delete." } : "allow");
    const { kinds, result } = await session.go(scriptedProvider(turn, [text("I see."), stop("end_turn")]));
    expect(kinds).not.toContain("approval_request");
    const content = [{ type: "text", text: "Never delete." }];
    const denied = { id: "b", status: "denied", reason: "not_run", content };
    expect(result.historyDelta[1]).toMatchObject({ results: expect.arrayContaining([denied]) });
  });

  test("the policy is asked when the call is about to be sent: what is allowed meanwhile needs no answer", async () => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.options.policy = () => "allow";
    const { kinds } = await session.go(answers());
    expect(kinds).toBe("tool_start tool_result iteration text usage result");
  });

  test("a new message instead of an answer closes the call, in the model's view as well", async () => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    const provider = answers();
    const history = [...session.history, user("Forget it.")];
    const { kinds } = await run({ provider, history });
    expect(kinds).toBe("iteration text usage result");
    expect(provider.sent[0]?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });
});

describe("an answer", () => {
  test.for(["approve", "approve_run", "approve_always"] as const)(
    "%s sends the call once",
    async (decision) => {
      const session = new Guarded();
      await session.go(scriptedProvider(turn));
      session.answer("b", { decision });
      session.sent = [];
      const { kinds, result } = await session.go(answers());
      expect(kinds).toBe("tool_start tool_result iteration text usage result");
      expect(session.sent).toEqual([["b", { path: "/" }]]);
      expect(result.historyDelta[0]).toMatchObject({ results: [{ id: "b", status: "ok" }] });
    },
  );

  test("with edited arguments sends those, keeps the model's message, and tells the model", async () => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.answer("b", { decision: "approve", args: { path: "notes/x" } });
    session.sent = [];
    const provider = answers();
    await session.go(provider);
    expect(session.sent).toEqual([["b", { path: "notes/x" }]]);
    const [, assistant, round] = provider.sent[0] ?? [];
    expect(assistant).toMatchObject({ parts: [{}, { args: { path: "/" } }, {}] });
    if (round?.role !== "tool") throw new Error("The round has no tool message.");
    expect(round.results.map((result) => modelContent(result)[0])).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: '[The user changed the arguments before the call ran: {"path":"notes/x"}]' },
      { type: "text", text: "c" },
    ]);
  });

  test.for<[Answer, object]>([
    [
      { decision: "deny", text: "Too risky." },
      { status: "denied", content: [{ text: "Too risky." }] },
    ],
    [{ decision: "deny" }, { status: "denied", content: [{ text: "The user declined this call." }] }],
    [{ decision: "skip" }, { status: "denied", content: [{ text: "The user skipped this call." }] }],
    [
      { decision: "done", text: "Gone." },
      { status: "ok", by: "person", content: [{ text: "Gone." }] },
    ],
  ])("%j sends nothing, and the model reads it", async ([answer, expected]) => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.answer("b", answer);
    session.sent = [];
    const { kinds, result } = await session.go(answers());
    expect(kinds).toBe("tool_result iteration text usage result");
    expect(session.sent).toEqual([]);
    expect(result.historyDelta[0]).toMatchObject({ results: [expected] });
  });

  test("to the rule does not cover a definition that changed meanwhile", async () => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.answer("b", { decision: "approve" });
    session.options.policy = () => ({ ask: "changed_definition" });
    const second = await session.go(answers());
    expect(second.kinds).toBe("approval_request result");
    expect(second.log[0]).toMatchObject({ reason: "changed_definition" });
    session.answer("b", { decision: "approve" });
    session.options.policy = () => ({ ask: "rule" });
    expect((await session.go(answers())).kinds).toBe("tool_start tool_result iteration text usage result");
  });
});

describe("an unknown outcome", () => {
  test("is asked about, although the call had been approved and whatever the rules allow", async () => {
    const session = await Guarded.lost();
    session.options.policy = () => "allow";
    const { kinds, log, result } = await session.go(scriptedProvider());
    expect(kinds).toBe("approval_request result");
    expect(log[0]).toMatchObject({ reason: "outcome_unknown" } satisfies Partial<ApprovalRequest>);
    expect(result.stopReason).toBe("awaiting_approval");
    expect(openToolCalls(session.history)).toEqual([toolCall("b", "fs__delete", { path: "/" })]);
    expect(session.sent).toEqual([]);
  });

  test.for<[Answer, unknown[], object]>([
    [{ decision: "retry" }, [["b", { path: "/" }]], { status: "ok" }],
    [
      { decision: "retry", args: { path: "y" } },
      [["b", { path: "y" }]],
      { status: "ok", args: { path: "y" } },
    ],
    [{ decision: "done", text: "It ran." }, [], { status: "ok", by: "person" }],
    [{ decision: "skip" }, [], { status: "unknown" }],
    [{ decision: "deny" }, [], { status: "unknown" }],
  ])("answered with %j", async ([answer, sent, expected]) => {
    const session = await Guarded.lost();
    await session.go(scriptedProvider());
    session.answer("b", answer);
    const { result } = await session.go(answers());
    expect(session.sent).toEqual(sent);
    expect(result.historyDelta[0]).toMatchObject({ results: [{ id: "b", ...expected }] });
  });

  test("is not made known by an approval from before", async () => {
    const session = await Guarded.lost();
    await session.go(scriptedProvider());
    expect(openCalls(session.log).get(toolCall("b").id)?.answers).toEqual({});
  });

  test("of a call that is safe to repeat is repeated without asking", async () => {
    const session = await Guarded.lost();
    session.options.safeToRepeat = () => true;
    expect((await session.go(answers())).kinds).toBe("tool_start tool_result iteration text usage result");
    expect(session.sent).toEqual([["b", { path: "/" }]]);
  });

  test("is none for a call that is still in flight, or whose state is known: it goes on", async () => {
    const inFlight = await Guarded.lost();
    inFlight.options.inFlight = () => true;
    const stateful = await Guarded.lost();
    stateful.log.push({ type: "tool_state", id: toolCall("b").id, state: "s" });
    for (const session of [inFlight, stateful])
      expect((await session.go(answers())).kinds).not.toContain("approval_request");
  });

  test("is sent again with the arguments that the person had approved, not with the model's own", async () => {
    const session = new Guarded();
    await session.go(scriptedProvider(turn));
    session.answer("b", { decision: "approve", args: { path: "/tmp/old" } });
    // Killed while it is being sent.
    session.log.push({ type: "tool_start", id: toolCall("b").id, args: { path: "/tmp/old" } });
    session.crash();
    session.sent = [];
    expect((await session.go(scriptedProvider())).result.stopReason).toBe("awaiting_approval");
    session.answer("b", { decision: "retry" });
    const { result } = await session.go(answers());
    expect(session.sent).toEqual([["b", { path: "/tmp/old" }]]);
    const round = result.historyDelta.find((message) => message.role === "tool");
    expect(round?.results).toMatchObject([{ id: "b", status: "ok", args: { path: "/tmp/old" } }]);
  });

  test("is not repeated once a rule denies the tool", async () => {
    const session = await Guarded.lost();
    session.options.policy = () => ({ deny: "Never delete." });
    const { result } = await session.go(answers());
    expect(session.sent).toEqual([]);
    expect(result.historyDelta[0]).toMatchObject({ results: [{ status: "unknown" }] });
  });
});

test("an approval does not reset the iteration limit", async () => {
  const session = new Guarded();
  const first = await session.go(scriptedProvider(turn));
  session.answer("b", { decision: "approve" });
  const tools = withApproval(withIntents({ list: () => [], call: async ({ id }) => ok(id) }), {
    policy: () => ({ ask: "rule" }),
    open: openCalls(session.log),
  });
  const history = [...asks, ...first.result.historyDelta];
  const { kinds, result } = await run({
    provider: scriptedProvider(),
    tools,
    history,
    iterationsUsed: first.result.iterationsUsed,
    maxIterations: 1,
  });
  expect(kinds).toBe("tool_start tool_result result");
  expect(result).toMatchObject({ stopReason: "max_iterations", iterationsUsed: 1 });
});

describe("the definition that was judged", () => {
  const asking = (definition: string) => () => ({ ask: "rule", definition }) as const;

  test("stands in the question, and goes with the call", async () => {
    const session = new Guarded();
    session.options.policy = ({ id }) =>
      id === "b" ? { ask: "rule", definition: "h-b" } : { allow: { definition: `h-${id}` } };
    const { log } = await session.go(scriptedProvider(turn));
    expect(session.definitions).toEqual(["h-a", "h-c"]);
    expect(log.find(({ type }) => type === "approval_request")).toMatchObject({
      call: { definition: "h-b" },
    });
    session.answer("b", { decision: "approve" });
    await session.go(answers());
    expect(session.definitions).toEqual(["h-a", "h-c", "h-b"]);
  });

  test.for<[string, Verdict]>([
    ["asks", { ask: "rule", definition: "two" }],
    ["asks about the change", { ask: "changed_definition", definition: "two" }],
    ["allows", { allow: { definition: "two" } }],
  ])(
    "is asked about anew when it changed before the answer, also where the policy %s",
    async ([, verdict]) => {
      const session = new Guarded();
      session.options.policy = asking("one");
      await session.go(scriptedProvider([call("b", "fs__delete", { path: "/" }), stop("tool_use")]));
      session.answer("b", { decision: "approve", args: { path: "/tmp" } });
      session.options.policy = () => verdict;
      const second = await session.go(answers());
      expect(second.kinds).toBe("approval_request result");
      expect(second.log[0]).toMatchObject({ reason: "changed_definition", call: { definition: "two" } });
      expect(session.sent).toEqual([]);
      session.answer("b", { decision: "approve" });
      expect((await session.go(answers())).kinds).toBe("tool_start tool_result iteration text usage result");
      expect(session.definitions).toEqual(["two"]);
    },
  );
});
