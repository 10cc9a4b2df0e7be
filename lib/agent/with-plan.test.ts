import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Answer } from "@/lib/protocol/answer";
import type { ApprovalRequest, Chunk, ModelChunk } from "@/lib/protocol/chunk";
import { isFor, type PlanStep, type StepBounds } from "@/lib/protocol/plan";
import type { Provider, ToolBox } from "./ports";
import { RunPlan } from "./run-plan";
import { call, ok, scriptedProvider, stop, text } from "./testing/scripted";
import { Session } from "./testing/session";
import { withIntents } from "./testing/with-intents";
import { withApproval } from "./with-approval";
import { allowPlan, proposePlanTool, withPlan } from "./with-plan";

const specs = ["fs__write", "fs__move"].map((name) => ({
  name,
  description: "",
  inputSchema: { type: "object", additionalProperties: true },
}));
const end = [text("Done."), stop("end_turn")];
const said = (...calls: ModelChunk[]) => [...calls, stop("tool_use")];

/** Runs of one chain in which every call asks, unless a plan lets it go. */
class Planned extends Session {
  plan = new RunPlan();
  sent: string[] = [];
  definition = "one";
  reason: ApprovalRequest["reason"] = "rule";

  go(provider: Provider) {
    this.plan = new RunPlan(this.log);
    const real: ToolBox = withIntents({
      list: () => specs,
      call: async ({ id }) => {
        this.sent.push(id);
        return ok(id, id);
      },
    });
    const policy = () => ({ ask: this.reason, definition: this.definition });
    return this.run(
      provider,
      (open) =>
        withPlan(withApproval(real, { policy: allowPlan(this.plan, policy), open }), {
          ...{ plan: this.plan, open, isOffered: true, specs: () => specs, policy },
          hints: () => ({ definition: this.definition }),
        }),
      (chunk) => this.plan.add(chunk),
    );
  }

  override answer(id: string, answer: Answer): void {
    super.answer(id, answer);
    const chunk = this.log.at(-1);
    if (chunk) this.plan.add(chunk);
  }

  /** The chain after a plan was approved, and what the model does then. */
  static async approved(steps: Partial<StepBounds>[], ...turns: ModelChunk[][]): Promise<Planned> {
    const session = new Planned();
    await session.go(scriptedProvider(said(call("plan", proposePlanTool, { steps }))));
    session.answer("plan", { decision: "approve" });
    await session.go(scriptedProvider(...turns));
    return session;
  }

  get uses() {
    return this.log.flatMap((chunk) => (chunk.type === "tool_start" ? [[chunk.id, chunk.plan?.step]] : []));
  }
}

const write = (id: string, args: Record<string, unknown> = {}) => call(id, "fs__write", args);

describe("a plan", () => {
  test("lets go as many calls as it says, also of one round, and the others ask", async () => {
    const session = await Planned.approved(
      [{ tool: "fs__write", max: 2 }],
      said(write("a"), write("b"), write("c")),
    );
    expect(session.sent).toEqual(["a", "b"]);
    expect(session.log.findLast(({ type }) => type === "approval_request")).toMatchObject({
      requestId: "c",
      outside: { why: "used_up", step: 0 },
    });
  });

  test("compares fixed arguments whatever the order of their names", async () => {
    const fixed = { to: { a: 1, b: [2, { c: null }] } };
    const session = await Planned.approved(
      [{ tool: "fs__write", max: 9, fixed }],
      said(
        write("a", { to: { b: [2, { c: null }], a: 1 }, text: "x" }),
        write("b", { to: { a: 1, b: [2, { c: null }], d: 0 } }),
        write("c", { text: "x" }),
        call("d", "fs__move", fixed),
      ),
    );
    expect(session.sent).toEqual(["a"]);
    const outside = session.log.flatMap((chunk) =>
      chunk.type === "approval_request" ? (chunk.outside ?? []) : [],
    );
    expect(outside).toEqual([
      { why: "arguments", step: 0, arguments: ["to"] },
      { why: "arguments", step: 0, arguments: ["to"] },
      { why: "tool" },
    ]);
  });

  test("leaves open no file that a tool would get", async () => {
    const file = (end: string) => `attachment:00000000-0000-4000-8000-00000000000${end}`;
    const session = await Planned.approved(
      [{ tool: "fs__write", max: 9, fixed: { from: file("1") } }],
      said(
        write("a", { from: file("1") }),
        write("b", { from: file("2") }),
        write("c", { from: file("1"), also: [file("1")] }),
      ),
    );
    expect(session.sent).toEqual(["a"]);
    expect(session.log.findLast(({ type }) => type === "approval_request")).toMatchObject({
      outside: { why: "file", step: 0 },
    });
  });

  test("covers no other definition than the one for which it was proposed", async () => {
    const session = await Planned.approved([{ tool: "fs__write", max: 9 }], end);
    session.definition = "two";
    await session.go(scriptedProvider(said(write("a"))));
    expect(session.sent).toEqual([]);
    expect(session.log.findLast(({ type }) => type === "approval_request")).toMatchObject({
      outside: { why: "definition", step: 0 },
    });
  });

  test("counts where a rule would ask, and nowhere else", async () => {
    const session = await Planned.approved([{ tool: "fs__write", max: 9 }], end);
    session.reason = "changed_definition";
    await session.go(scriptedProvider(said(write("a"))));
    expect(session.sent).toEqual([]);
  });

  test("that is taken back before a call is sent does not let it go", async () => {
    const session = await Planned.approved([{ tool: "fs__write", max: 9 }], end);
    const judged = { id: "a" as never, name: "fs__write", args: {} };
    expect(session.plan.reserve(judged, "one")).toBe(true);
    session.plan.add({ type: "answer", requestId: "x", answer: { takesBack: "plan" } });
    expect(() => session.plan.start(judged)).toThrow("taken back");
    expect(session.plan.reserve(judged, "one")).toBe(false);
  });

  test("counts a call that was sent when the process was killed, once, also when it is sent again", async () => {
    const session = await Planned.approved([{ tool: "fs__write", max: 2 }], end);
    const start: Chunk = { type: "tool_start", id: "a" as never, args: {}, plan: { id: "plan", step: 0 } };
    const again = new RunPlan([...session.log, start]);
    expect(again.current?.steps).toMatchObject([{ used: 1 }]);
    expect(again.start({ id: "a" as never, name: "fs__write", args: {} })).toEqual(start.plan);
    expect(again.current?.steps).toMatchObject([{ used: 1 }]);
  });

  test("of another proposal takes the place of the one before, whose calls do not count there", async () => {
    const session = await Planned.approved(
      [{ tool: "fs__write", max: 1 }],
      said(write("a")),
      said(call("next", proposePlanTool, { steps: [{ tool: "fs__write", max: 1 }] })),
    );
    session.answer("next", { decision: "approve" });
    await session.go(scriptedProvider(said(write("b")), said(write("c"))));
    expect(session.sent).toEqual(["a", "b"]);
    expect(session.plan.current).toMatchObject({ id: "next", steps: [{ used: 1 }] });
  });
});

const aTool = fc.constantFrom("fs__write", "fs__move");
const aValue = fc.constantFrom(1, "x", null, { a: 1 });
const someArgs = fc.dictionary(fc.constantFrom("p", "q"), aValue);
const aStep = fc.record({ tool: aTool, max: fc.integer({ min: 1, max: 3 }), fixed: someArgs });
const aRound = fc.array(fc.record({ tool: aTool, args: someArgs }), { minLength: 1, maxLength: 6 });
const aPlan = fc.array(aStep, { minLength: 1, maxLength: 4 });

test("whatever is planned and called, no more runs without a question than the plan says, also over restarts", async () => {
  const rounds = fc.array(aRound, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(aPlan, rounds, async (steps, all) => {
      let calls = 0;
      const turns = all.map((round) =>
        said(...round.map(({ tool, args }) => call(`call${calls++}`, tool, args))),
      );
      const session = await Planned.approved(steps, end);
      for (const turn of turns) {
        session.crash();
        await session.go(scriptedProvider(turn, end));
        // Who is asked says no, and the next round begins another run of the chain.
        for (const { requestId } of asksIn(session.log)) session.answer(requestId, { decision: "deny" });
        await session.go(scriptedProvider(end));
      }
      const names = new Map(
        turns.flat().flatMap((each) => (each.type === "tool_call" ? [[each.call.id, each.call]] : [])),
      );
      for (const [at, step] of steps.entries()) {
        const own = session.uses.filter(([, use]) => use === at).map(([id]) => names.get(id as never));
        expect(own.length).toBeLessThanOrEqual(step.max);
        for (const one of own) expect(one && isFor({ ...step, used: 0 } as PlanStep, one)).toBe(true);
      }
      expect(session.uses.every(([, use]) => use !== undefined)).toBe(true);
      expect(new RunPlan(session.log).current).toEqual(session.plan.current);
      // A call asks only where no step has room for it.
      const left = session.plan.current?.steps ?? [];
      for (const { call: asked } of asksIn(session.log))
        if (asked && asked.name !== proposePlanTool)
          for (const step of left) if (isFor(step, asked)) expect(step.used).toBe(step.max);
    }),
    { numRuns: 60 },
  );
});

const asksIn = (log: readonly Chunk[]) =>
  log.flatMap((chunk) => (chunk.type === "approval_request" && chunk.reason === "rule" ? chunk : []));
