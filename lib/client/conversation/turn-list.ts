import { asApiError } from "@/lib/client/http/http";
import type { AnswerView, QuestionView, TurnView } from "@/lib/client/run/messages-to-turns";
import { emptyRun } from "@/lib/client/run/run-view";
import type { Failure } from "./conversation-state";

/** The view of a turn whose message is being sent. */
export function sendingTurn(
  key: string,
  { text, files }: Pick<QuestionView, "text" | "files">,
  { model, agent = null }: { model?: string; agent?: string | null },
): TurnView {
  const question = { id: null, parentId: null, text, files, siblings: [] };
  return {
    key,
    question,
    answer: { view: emptyRun, model: model ?? null, agent, messageId: null, siblings: [] },
  };
}

export function toFailure(cause: unknown): Failure {
  const { code, message } = asApiError(cause);
  return { code, message };
}

/** Keeps the objects of turns in which nothing changed, so that they do not render again. */
export function reuse(before: readonly TurnView[], after: readonly TurnView[]): readonly TurnView[] {
  const known = new Map(before.map((turn) => [turn.key, turn]));
  return after.map((turn) => {
    const old = known.get(turn.key);
    return old && fingerprint(old) === fingerprint(turn) ? old : turn;
  });
}

/** The live turn takes the place of the stored one, or comes last: a run always answers at the end of the branch. */
export function withLiveTurn(turns: readonly TurnView[], shown: TurnView): readonly TurnView[] {
  const at = turns.findIndex(({ key }) => key === shown.key);
  const stored = turns[at];
  if (!stored) return [...turns, shown];
  const answer = shown.answer && {
    ...shown.answer,
    model: shown.answer.model ?? stored.answer?.model ?? null,
    agent: shown.answer.agent ?? stored.answer?.agent ?? null,
    ...forkOf(shown.answer, stored.answer),
  };
  return [...turns.slice(0, at), { ...shown, question: stored.question ?? shown.question, answer }];
}

/** The stream of a run does not say how it was forked; what was there before it may have been another fork. */
function forkOf({ view }: AnswerView, stored: AnswerView | null): Pick<AnswerView, "fork"> {
  return stored?.fork && stored.fork.runId === view.runId ? { fork: stored.fork } : {};
}

function fingerprint({ question, answer }: TurnView): string {
  const { view } = answer ?? {};
  return JSON.stringify([
    question?.id,
    question?.siblings,
    answer?.messageId,
    answer?.siblings,
    answer?.model,
    answer?.fork?.runId,
    view?.runId,
    view?.status,
    view?.loops.length,
    view?.steering.length,
    view?.takenBack.length,
    view?.pending.map(({ requestId }) => requestId),
  ]);
}
