import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { renderToStaticMarkup } from "react-dom/server";
import { IntlProvider } from "use-intl";
import { describe, expect, it } from "vitest";
import { messages } from "@/app/messages";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import type { RunView } from "@/lib/client/run/run-view";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ResultReason, ToolResult } from "@/lib/protocol/message";
import { Turn } from "./turn";

const id = "c1" as ToolCallId;
const call = { type: "tool_call", id, name: "s__t", server: "s", tool: "t", args: {} } as const;
const usage = { inputTokens: 1, outputTokens: 1 };
const asked: Chunk[] = [
  { type: "iteration", index: 1, at: 1 },
  { type: "tool_call", call, at: 2 },
  { type: "usage", stopReason: "tool_use", ...usage, at: 3 },
];

describe("a call that brought nothing", () => {
  it("was denied, with the reason, where a person has said so", () => {
    expect(shown([...asked, came("denied", "I do not drink milk"), ended("end_turn")])).toMatch(
      /s t, denied, .*Denied by you: “I do not drink milk”\./,
    );
  });

  it("was not run, where the run was stopped before anybody answered", () => {
    const words = shown([...asked, came("denied", "Nobody answered.", "left_open"), ended("aborted")]);
    expect(words).toMatch(/s t, not run, .*Not run: you stopped this answer before the call was sent\./);
    expect(words).not.toMatch(/denied/i);
  });

  it("was cancelled by the person, and not left without an answer, where the model went on", () => {
    const cancelled = came("unknown", "Given up.", "cancelled");
    const sent: Chunk[] = [...asked, { type: "tool_start", id, args: {}, at: 4 }];
    const wentOn = shown([...sent, cancelled, { type: "iteration", index: 2, at: 6 }]);
    expect(wentOn).toMatch(/s t, cancelled, outcome unknown, .*Cancelled by you: it was already sent/);
    expect(wentOn).not.toContain("no response came");
    const stopped = shown([...sent, cancelled, ended("aborted")]);
    expect(stopped).toMatch(/Stopped: it was already sent.*You stopped this answer\./);
    const lost = shown([...sent, came("unknown", "The connection broke."), ended("end_turn")]);
    expect(lost).toMatch(/Outcome unknown: it was sent, but no response came\./);
  });
});

it("a loop in which nothing was said stands for nothing: how it ended is told in its place", () => {
  const begun: Chunk = { type: "iteration", index: 1, at: 1 };
  // The number is that of its ring.
  expect(shown([begun])).toMatch(/Why\?1/);
  expect(shown([begun, ended("error")])).toMatch(/Why\?Couldn’t answer:/);
});

describe("a call that was answered", () => {
  const request = { type: "approval_request", requestId: id, call, reason: "rule" } as const;
  const answer: Chunk = { type: "answer", requestId: id, id, answer: { decision: "approve" } };

  it("is allowed, and waits only while the run does", () => {
    expect(shown([...asked, request, ended("awaiting_approval"), answer])).toContain(
      "allowed, waiting for the other answers",
    );
    const goesOn = view([...asked, request, answer]);
    expect(text(goesOn)).toMatch(/s t, allowed, /);
    expect(text(goesOn)).not.toContain("waits");
  });
});

describe("an answer that was stopped", () => {
  const half: Chunk[] = [
    { type: "iteration", index: 1, at: 1 },
    { type: "text", content: "Half an", at: 2 },
  ];

  it("says that going on asks for its words again, and where they stay", () => {
    expect(shown([...half, ended("aborted")])).toContain(
      "“Continue” asks the model to write this part again; this text stays as another version.",
    );
    expect(shown([...half, ended("interrupted")])).toContain(
      "“Resume” asks the model to write this part again",
    );
    const limited = shown([
      ...half,
      { type: "usage", stopReason: "max_tokens", ...usage },
      ended("max_tokens"),
    ]);
    expect(limited).toContain("Continue");
    expect(limited).not.toContain("again");
  });

  it("says of a workflow that the step begins again", () => {
    expect(text(view([...half, ended("aborted")]), "critic")).toContain("“Continue” starts this step again.");
  });
});

it("the run of an answer is opened while it goes on and while it waits", () => {
  const request = { type: "approval_request", requestId: id, call, reason: "rule" } as const;
  expect(shown(asked)).toContain("Open run");
  const waits = html(view([...asked, request, ended("awaiting_approval")]));
  expect(waits).toContain("Open run");
  expect(waits).not.toContain("Regenerate");
});

it("where nothing is asked, nothing is offered that would ask, and the run can be opened", () => {
  const half: Chunk[] = [{ type: "iteration", index: 1, at: 1 }, ended("interrupted")];
  expect(text(view(half))).toMatch(/Resume.*Open run/);
  const looked = html(view(half), { isReadOnly: true });
  expect(looked).not.toMatch(/Resume|Regenerate|Edit/);
  expect(looked).toContain("Open run");
});

it("a question shows the agent that answers it", () => {
  expect(text(view([ended("end_turn")]), "critic")).toContain("Answered by agent @critic");
  expect(text(view([ended("end_turn")]))).not.toContain("@");
});

it("what was said meanwhile stands between the loops, with when that was", () => {
  const said: Chunk = {
    type: "message",
    id: "m3",
    message: { role: "user", parts: [{ type: "text", text: "Shorter." }] },
  };
  const answer: Chunk[] = [
    { type: "iteration", index: 2, at: 6 },
    { type: "text", content: "Short.", at: 7 },
  ];
  expect(shown([...asked, came("ok", "x"), said, ...answer, ended("end_turn")])).toMatch(
    /s t, done.*You saidYShorter\.said while loop 1 ran2Short\./,
  );
  expect(shown([said, ...answer, ended("end_turn")])).toMatch(
    /Why\?.*Shorter\.said before the first loop1Short\./,
  );
});

const came = (status: ToolResult["status"], said: string, reason?: ResultReason): Chunk => ({
  type: "tool_result",
  result: { id, status, ...(reason && { reason }), content: [{ type: "text", text: said }] },
  durationMs: 1,
  at: 5,
});

const ended = (stopReason: Extract<Chunk, { type: "result" }>["result"]["stopReason"]): Chunk => ({
  type: "result",
  at: 9,
  result: { stopReason, historyDelta: [], finalText: "", iterationsUsed: 1, timedOut: false, usage },
});

const view = (log: readonly Chunk[]) => log.reduce(reduceRun, openRunView("r1"));
const shown = (log: readonly Chunk[]) => text(view(log));

const Text = ({ text }: { text: string }) => <p>{text}</p>;

/** What a person reads of a turn, as text. */
const text = (view: RunView, agent: string | null = null): string =>
  html(view, { agent })
    .replace(/<i aria-hidden="true">·<\/i>/g, "")
    .replace(/<[^>]+>/g, "")
    .replace(/\s+/g, " ");

function html(
  view: RunView,
  { agent = null, isReadOnly = false }: { agent?: string | null; isReadOnly?: boolean } = {},
): string {
  const question = { id: "m1", parentId: null, text: "Why?", files: [], siblings: ["m1"] };
  const turn: TurnView = {
    key: "m1",
    question,
    answer: { view, model: "demo/demo", agent, messageId: "m2", siblings: ["m2"] },
  };
  const nothing = () => {};
  const actions = {
    isReadOnly,
    edit: nothing,
    regenerate: nothing,
    runAgain: nothing,
    takePlanBack: nothing,
    resume: nothing,
    showSibling: nothing,
  };
  const router = {
    ...{
      back: nothing,
      forward: nothing,
      refresh: nothing,
      push: nothing,
      replace: nothing,
      prefetch: nothing,
    },
    ...{ bfcacheId: "", experimental_gesturePush: nothing },
  };
  return renderToStaticMarkup(
    <IntlProvider locale="en" messages={messages.en} timeZone="UTC">
      <AppRouterContext value={router}>
        <Turn turn={turn} Text={Text} actions={actions} />
      </AppRouterContext>
    </IntlProvider>,
  );
}
