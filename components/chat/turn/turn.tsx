"use client";

import { Fragment, memo, type ReactNode, useMemo } from "react";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { plansOf } from "@/lib/client/run/plan-view";
import type { LoopView, RunView } from "@/lib/client/run/run-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import { useAnswerEdit } from "./answer-edit";
import { Chapters } from "./chapters";
import { Ending } from "./ending";
import { ForkPlacement, TurnForkContext } from "./fork-context";
import { type AnswerText, Loop } from "./loop";
import { OriginLine } from "./origin-line";
import { type TurnPlans, TurnPlansContext } from "./plan-line";
import { Question } from "./question";
import { SteeringMessage } from "./steering-message";
import { CallRunner } from "./tool-detail";
import type { TurnActions } from "./turn-actions";
import { TurnFoot } from "./turn-foot";
import "./ledger.css";
import { forkOfWords, useTurnFork } from "./use-turn-fork";

export interface TurnProps {
  turn: TurnView;
  Text: AnswerText;
  /** What a person can do here; without it the turn is only read. */
  actions?: TurnActions | undefined;
  /** While something runs in the conversation, nothing else can be started. */
  busy?: boolean;
  /** Name of the model as people know it. */
  modelName?: string | undefined;
  /** The card of a question that a person is asked, under the last loop. */
  card?: ReactNode;
}

/**
 * A question with its answer. It fetches nothing: the live chat and a shared page draw the same.
 * Without `actions` every line opens without JavaScript.
 */
export const Turn = memo(function Turn({ turn, Text, actions, busy = false, modelName, card }: TurnProps) {
  const { question, answer } = turn;
  const view = answer?.view;
  const readOnly = actions === undefined;
  // What asks a model, or runs something, where that can be done.
  const asking = actions?.isReadOnly ? undefined : actions;
  const runner = useRunner(turn, asking, busy);
  const edit = useAnswerEdit(turn, busy);
  const plans = usePlans(view, asking);
  const { place, forked, lines: forkLines } = useTurnFork(turn, busy);
  // What is asked stands last: until it is answered, what it took so far and its run are above it.
  const isWaiting = !readOnly && view?.status === "waiting";
  const foot = answer && (
    <TurnFoot
      answer={answer}
      turn={turn}
      actions={actions}
      isWaiting={isWaiting}
      busy={busy}
      modelName={modelName}
      onEdit={edit.begin}
      onFork={forkOfWords(answer, forkLines.begin)}
    />
  );
  return (
    <article
      data-turn={turn.key}
      data-forking={place ? "" : undefined}
      className="relative pt-5 pl-(--gutter) phone:pt-4"
    >
      {question && <Question question={question} turn={turn} actions={asking} busy={busy} />}
      {actions && view && answer.fork && (
        <OriginLine fork={answer.fork} view={view} busy={busy} onShow={actions.showSibling} />
      )}
      {view && (
        <CallRunner value={runner}>
          <TurnForkContext value={forkLines}>
            <TurnPlansContext value={plans}>
              <ForkPlacement value={place}>
                <Loops
                  {...{ view: edit.shown ?? view, Text, readOnly, forked }}
                  wordsPlace={forkLines.at?.call === null && place}
                />
              </ForkPlacement>
            </TurnPlansContext>
          </TurnForkContext>
        </CallRunner>
      )}
      {edit.field}
      {view?.status === "running" && view.loops.length === 0 && <Pending Text={Text} />}
      {isWaiting && foot}
      {card}
      {view && <Ending view={view} turn={turn} actions={asking} busy={busy} />}
      {!isWaiting && foot}
    </article>
  );
});

/** Calls run again one by one where the model answered by itself, and has ended. */
function useRunner(turn: TurnView, actions: TurnActions | undefined, busy: boolean) {
  const { answer } = turn;
  const isOver = answer?.messageId && answer.view.status !== "running" && answer.view.status !== "waiting";
  return useMemo(
    () =>
      actions && isOver && !answer.agent
        ? { run: (id: ToolCallId) => actions.runAgain(turn, id), busy }
        : null,
    [turn, actions, busy, isOver, answer?.agent],
  );
}

/** One without a plan has the same value for as long as it is written. */
function usePlans(view: RunView | undefined, actions: TurnActions | undefined): TurnPlans {
  const runId = view?.runId;
  const takeBack = useMemo(
    () => (actions && runId ? () => actions.takePlanBack(runId) : undefined),
    [actions, runId],
  );
  const found = useMemo(() => (view ? plansOf(view) : noPlans), [view]);
  const plans = found.size > 0 ? found : noPlans;
  return useMemo(() => ({ plans, takeBack }), [plans, takeBack]);
}

const noPlans: TurnPlans["plans"] = new Map();

interface LoopsProps {
  view: RunView;
  Text: AnswerText;
  readOnly: boolean;
  /** That of the fork that is being made. */
  forked: LoopView | null;
  /** What is drawn under its words. */
  wordsPlace: ReactNode;
}

/** Loop after loop, or by the agents of a workflow. */
function Loops({ view, Text, readOnly, forked, wordsPlace }: LoopsProps) {
  const saidAfter = (number: number) =>
    view.steering
      .filter(({ after }) => after === number)
      .map((said, at) => <SteeringMessage key={said.id ?? `${number}.${at}`} said={said} />);
  const draw = (loop: LoopView) => {
    const at = view.loops.indexOf(loop);
    return (
      <Fragment key={loop.number}>
        {saidAfter(at)}
        <Loop
          loop={loop}
          state={ringOf(view, loop, at)}
          idleMs={view.idleMs}
          isLast={at === view.loops.length - 1}
          Text={Text}
          readOnly={readOnly}
          falls={forked !== null && loop.number > forked.number && loop.agent === forked.agent}
        />
        {loop.number === forked?.number && wordsPlace}
      </Fragment>
    );
  };
  const isWorkflow = view.loops.some(({ agent }) => agent !== undefined);
  return (
    <>
      {isWorkflow ? <Chapters view={view} drawLoop={draw} /> : view.loops.map(draw)}
      {saidAfter(view.loops.length)}
    </>
  );
}

/** Sent, and nothing has come back yet: the first loop is about to begin. */
function Pending({ Text }: { Text: AnswerText }) {
  return <Loop loop={unborn} state="run" idleMs={0} isLast Text={Text} />;
}

const unborn: LoopView = { number: 1, runId: null, startedAt: null, endedAt: null, whole: false, items: [] };

function ringOf(view: RunView, loop: LoopView, at: number): "done" | "run" | "held" {
  if (at < view.loops.length - 1) return loop.endedAt === null && view.status === "running" ? "run" : "done";
  switch (view.status) {
    case "running":
      return "run";
    case "waiting":
    case "stopped":
    case "failed":
    case "interrupted":
      return "held";
    case "completed":
      return "done";
  }
}
