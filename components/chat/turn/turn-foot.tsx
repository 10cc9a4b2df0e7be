"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { useNow } from "@/components/chat/parts/use-now";
import { IconButton } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { NearLink } from "@/components/ui/near-link";
import { showDuration } from "@/lib/client/run/durations";
import type { AnswerView, TurnView } from "@/lib/client/run/messages-to-turns";
import { answerText, type RunView } from "@/lib/client/run/run-view";
import { CopyMarkdown } from "./copy-markdown";
import { Siblings } from "./siblings";
import type { TurnActions } from "./turn-actions";

export interface TurnFootProps {
  answer: AnswerView;
  turn: TurnView;
  actions: TurnActions | undefined;
  /** It is a question's turn now: nothing is done with the answer before that. */
  isWaiting?: boolean;
  busy: boolean;
  modelName: string | undefined;
  /** Absent where there are no words of the model to edit. */
  onEdit?: (() => void) | undefined;
  /** Absent where they cannot be forked at. */
  onFork?: (() => void) | undefined;
}

/** What the answer took, and what can be done with it; always visible. */
export function TurnFoot(props: TurnFootProps) {
  const { answer, turn, actions, isWaiting = false, busy, modelName, onEdit, onFork } = props;
  const t = useTranslations("chat.foot");
  const { view, messageId } = answer;
  const text = answerText(view);
  return (
    <div className="-mt-1 flex min-h-7 items-center gap-x-1 text-micro leading-5 text-ink-3 phone:flex-wrap">
      <Facts
        view={view}
        isEdited={answer.isEdited}
        model={modelName ?? (answer.model && withoutProvider(answer.model))}
        opens={actions !== undefined}
      />
      {actions && !isWaiting && (
        <div className="ml-auto flex items-center phone:-ml-2 phone:[&>button]:size-9">
          <Siblings
            ids={messageId ? answer.siblings : [...answer.siblings, wordless]}
            current={messageId ?? wordless}
            busy={busy}
            onShow={actions.showSibling}
          />
          {text !== "" && <CopyButton label={t("copy")} text={() => text} />}
          {hasCalls(view) && <CopyMarkdown view={view} />}
          {onEdit && (
            <IconButton
              icon="pencil"
              iconSize={14}
              label={t("edit")}
              tipSide="right-edge"
              disabled={busy}
              onClick={onEdit}
            />
          )}
          {turn.question?.id && !actions.isReadOnly && (
            <IconButton
              icon="again"
              iconSize={14}
              label={t("again")}
              tipSide="right-edge"
              disabled={busy}
              onClick={() => actions.regenerate(turn)}
            />
          )}
          {onFork && (
            <IconButton
              icon="fork"
              iconSize={14}
              label={t("fork")}
              tipSide="right-edge"
              data-fork-words={view.loops.at(-1)?.number}
              onClick={onFork}
            />
          )}
        </div>
      )}
    </div>
  );
}

const hasCalls = ({ loops }: RunView) =>
  loops.some(({ items }) => items.some((item) => item.kind === "tool" && item.state !== "writing"));

/** Stands for an answer that brought no word and so is no message; from another version nobody comes back to it. */
const wordless = "";

/** Where the list of models is not known, as in a shared conversation, their ids are all there is. */
const withoutProvider = (id: string) => id.slice(id.indexOf("/") + 1);

interface FactsProps {
  view: RunView;
  model: string | null;
  isEdited: boolean | undefined;
  /** Whether the page of its run can be opened. */
  opens: boolean;
}

function Facts({ view, model, isEdited, opens }: FactsProps) {
  const t = useTranslations("chat.foot");
  const format = useFormatter();
  const { inputTokens, outputTokens, cachedInputTokens, cost } = view.usage;
  const amount = useAmount();
  const total = useTotal(view);
  const repairs = view.loops
    .flatMap(({ items }) => items)
    .filter((item) => item.kind === "notice" && item.about === "repair").length;
  return (
    <div className="facts">
      {model && (
        <span>
          <b className="font-semibold text-ink-2">{model}</b>
        </span>
      )}
      {isEdited && <span>{t("edited")}</span>}
      {view.loops.length > 0 && <span>{t("loops", { count: view.loops.length })}</span>}
      {view.firstTokenMs !== null && (
        <span>{t("firstToken", { time: showDuration(view.firstTokenMs) })}</span>
      )}
      {total !== null && total > 0 && <span>{showDuration(total)}</span>}
      {inputTokens + outputTokens > 0 && (
        <span>
          {t(view.loops.length > 1 ? "tokensOfAll" : "tokens", {
            input: format.number(inputTokens),
            output: format.number(outputTokens),
          })}
          {cachedInputTokens ? t("cached", { count: format.number(cachedInputTokens) }) : null}
        </span>
      )}
      {repairs > 0 && <span>{t("repairs", { count: repairs })}</span>}
      {cost ? <span>{amount("cost", cost)}</span> : null}
      {cost === undefined && inputTokens + outputTokens > 0 && <span>{t("costUnknown")}</span>}
      {opens && view.runId && (
        <span>
          <NearLink href={`/runs/${view.runId}`} className="text-ink-3">
            {t("openRun")}
          </NearLink>
        </span>
      )}
    </div>
  );
}

/** What ran so far, without the waits. Nobody knows when a run ended that was cut off by a crash. */
function useTotal({ status, startedAt, lastAt, idleMs }: RunView): number | null {
  const runs = status === "running";
  const now = useNow(runs, 100);
  if (startedAt === null || lastAt === null || status === "interrupted") return null;
  return Math.max(lastAt, runs ? now : 0) - idleMs - startedAt;
}
