import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { expect, test } from "vitest";
import { messages } from "@/app/messages";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { RunSteps } from "@/lib/client/run/run-steps";
import { timeAxis } from "@/lib/client/run/time-axis";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { RunFigures } from "./run-figures";
import { RunTimeline } from "./run-timeline";
import { StepContent } from "./step-content";

const start = Date.UTC(2026, 0, 1);
let at = start;
const told = (agent: string | undefined, ...chunks: Chunk[]): Chunk[] =>
  chunks.map((chunk) => {
    at += 10;
    return { ...chunk, at, ...(agent !== undefined && { agent }) };
  });
const turn = (agent: string, words: string, copied?: true): Chunk[] =>
  told(agent, { type: "iteration", index: 1, ...(copied && { copied }) }, text(words), stop("end_turn"));

function read(...chunks: Chunk[]): RunSteps {
  const steps = new RunSteps();
  steps.begin("run");
  for (const chunk of chunks) steps.add(chunk);
  return steps;
}

const words = (node: ReactNode) =>
  renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      {node}
    </IntlProvider>,
  )
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

function timelineOf(steps: RunSteps): string {
  const loops = steps.loops();
  const axis = timeAxis(loops, at, false);
  const nothing = () => {};
  return words(
    <RunTimeline
      {...{ loops, view: steps.view, axis, now: at, model: "Model A", name: "run 1", picked: null }}
      onPick={nothing}
      onClose={nothing}
    />,
  );
}

test("the agents of a workflow are groups by their paths, with the rounds of a loop, in the order in which they began", () => {
  const steps = read(
    ...turn("doc/writer", "A", true),
    ...turn("doc/refine.1/critic", "B"),
    ...turn("doc/refine.1/editor", "C"),
    ...turn("doc/refine.2/critic", "D"),
  );
  expect(timelineOf(steps)).toMatch(
    /writer .*Loop 1 .*kept.* refine .*Round 1 critic .*Loop 2 .*editor .*Loop 3 .*Round 2 critic .*Loop 4 /,
  );
});

test("a run without agents has no groups", () => {
  const steps = read(...told(undefined, { type: "iteration", index: 1 }, text("Hello."), stop("end_turn")));
  expect(timelineOf(steps)).toMatch(/Loop 1 .*Model A/);
});

test("a plan is shown as the plan, with what was used of it, and what was asked with its steps", () => {
  const plan = { steps: [{ tool: "db__query", max: 3, fixed: {}, used: 0 }] };
  const proposal = call("p", "meguri__propose_plan", {});
  if (proposal.type !== "tool_call") expect.fail("no call");
  const id = "p" as ToolCallId;
  const steps = read(
    ...told(
      undefined,
      { type: "iteration", index: 1 },
      proposal,
      stop("tool_use"),
      { type: "approval_request", requestId: "p", call: proposal.call, reason: "plan", plan },
      { type: "answer", requestId: "p", id, answer: { decision: "approve" } },
      { type: "tool_start", id, args: {} },
      { type: "tool_result", result: { id, status: "ok", content: [], structured: { plan } }, durationMs: 1 },
      { type: "iteration", index: 2 },
      call("q", "db__query"),
      stop("tool_use"),
      { type: "tool_start", id: "q" as ToolCallId, args: {}, plan: { id: "p", step: 0 } },
    ),
  );
  const all = steps.loops().flatMap((loop) => loop.steps);
  const shown = (kind: string) => {
    const step = all.find((each) => each.kind === kind);
    return step ? words(<StepContent step={step} view={steps.view} />) : expect.fail(`no ${kind}`);
  };
  expect(shown("call")).toMatch(/Plan allowed .*1 of 3 calls used .*db · query .*1 of 3/);
  expect(shown("wait")).toMatch(/asked .*db · query .*0 of 3 .*Plan allowed .*1 of 3/);
});

test("the figures name the time that the row of a wait names", () => {
  const asked = call("c", "pay__refund");
  if (asked.type !== "tool_call") expect.fail("no call");
  const steps = read(
    ...told(undefined, { type: "iteration", index: 1 }, asked, stop("tool_use")),
    ...told(undefined, { type: "approval_request", requestId: "c", call: asked.call, reason: "rule" }),
  );
  const loops = steps.loops();
  const now = at + 38_040;
  const axis = timeAxis(loops, now, false);
  expect(words(<RunFigures {...{ view: steps.view, loops, axis, now }} />)).toMatch(
    /Waiting for you 38\.0 s /,
  );
});
