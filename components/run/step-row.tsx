"use client";

import { memo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { useToolNote } from "@/components/chat/turn/use-tool-note";
import { cn } from "@/components/ui/cn";
import { useSentence } from "@/components/ui/words/sentences";
import { showDuration } from "@/lib/client/run/durations";
import { onlyText } from "@/lib/client/run/read-json";
import type { CallStep, ModelStep, Step, WaitStep } from "@/lib/client/run/run-step";
import { placeOn, type TimeAxis } from "@/lib/client/run/time-axis";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { useAnswerWord } from "./use-answer-word";

/** Name, line of time, duration: the same columns in each row. */
export const rowGrid =
  "grid grid-cols-[clamp(148px,27%,268px)_minmax(0,1fr)_72px] phone:grid-cols-[148px_minmax(0,1fr)_52px]";

export interface StepRowProps {
  step: Step;
  axis: TimeAxis;
  /** 0 for a step that does not go on, so that it is not drawn again. */
  now: number;
  model: string;
  isActive: boolean;
  isPicked: boolean;
  onPick(key: string): void;
}

/** One step on one line; a press opens what it was. */
export const StepRow = memo(
  function StepRow({ step, axis, now, model, isActive, isPicked, onPick }: StepRowProps) {
    const took = step.from === null ? null : (step.to ?? now) - step.from;
    return (
      <button
        type="button"
        data-step={step.key}
        tabIndex={isActive ? 0 : -1}
        aria-expanded={isPicked}
        className={cn(
          rowGrid,
          "relative -mx-2 h-6 w-[calc(100%+16px)] px-2 text-left leading-6 -outline-offset-2 phone:h-8 phone:leading-8",
          isPicked ? "bg-paper-3" : "hover:bg-paper-2",
        )}
        onClick={() => onPick(step.key)}
      >
        <span className="relative truncate pr-2 pl-7 text-ink-2 before:absolute before:inset-y-0 before:left-[9.5px] before:w-px before:bg-(--thread)">
          <Name step={step} model={model} />
        </span>
        <span className="relative overflow-hidden">
          <Bars step={step} axis={axis} now={now} />
        </span>
        <span
          className={cn("text-right whitespace-nowrap", step.kind === "wait" ? "text-shu" : "text-ink-2")}
        >
          {took === null ? "" : showDuration(took)}
        </span>
      </button>
    );
  },
  (before, after) =>
    before.axis === after.axis &&
    before.now === after.now &&
    before.model === after.model &&
    before.isActive === after.isActive &&
    before.isPicked === after.isPicked &&
    isSame(before.step, after.step),
);

/** Steps are made anew with each look at the run; of most of them nothing has changed. */
const isSame = (a: Step, b: Step): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  (a.kind !== "call" || (b.kind === "call" && a.item === b.item)) &&
  (a.kind !== "model" ||
    (b.kind === "model" &&
      a.firstTokenAt === b.firstTokenAt &&
      a.retries.length === b.retries.length &&
      a.usage.outputTokens === b.usage.outputTokens));

function Name({ step, model }: { step: Step; model: string }) {
  const t = useTranslations("run");
  switch (step.kind) {
    case "model":
      return model;
    case "wait":
      return <span className="font-semibold text-shu">{t("wait")}</span>;
    case "call": {
      const { server, tool } = toolName(step.item.call);
      return (
        <>
          {server && <b className="font-semibold text-ink">{server}</b>} {showInvisible(tool)}
        </>
      );
    }
  }
}

interface BarsProps<S extends Step> {
  step: S;
  axis: TimeAxis;
  now: number;
}

function Bars({ step, ...line }: BarsProps<Step>) {
  switch (step.kind) {
    case "model":
      return <ModelBars step={step} {...line} />;
    case "call":
      return <CallBar step={step} {...line} />;
    case "wait":
      return <WaitBar step={step} {...line} />;
  }
}

/** Hatched until the first token came; a try that failed is a mark. */
function ModelBars({ step, axis, now }: BarsProps<ModelStep>) {
  const t = useTranslations("run");
  const format = useFormatter();
  const amount = useAmount();
  const { from, firstTokenAt, usage, retries, copied } = step;
  const to = step.to ?? now;
  const words = [
    copied && t("kept"),
    firstTokenAt !== null && t("firstToken", { time: showDuration(firstTokenAt - from) }),
    usage.outputTokens > 0 && t("out", { count: format.number(usage.outputTokens) }),
    usage.cost !== undefined && usage.cost > 0 && amount("cost", usage.cost),
    retries.length > 0 && t("tries", { count: retries.length }),
  ].filter(Boolean);
  return (
    <>
      <i className={cn(barLook, hatchLook)} style={span(axis, from, firstTokenAt ?? to)} />
      {firstTokenAt !== null && <i className={cn(barLook, "bg-ink")} style={span(axis, firstTokenAt, to)} />}
      {retries.map(({ at }) => (
        <i
          key={at}
          className="absolute top-1 h-4 w-0.5 bg-shu phone:top-2"
          style={{ left: `${placeOn(axis, at) * 100}%` }}
        />
      ))}
      <Note axis={axis} from={from} to={to} text={words.join(t("figures.and"))} />
    </>
  );
}

function CallBar({ step: { from, to, item }, axis, now }: BarsProps<CallStep>) {
  const t = useTranslations("run");
  const tool = useTranslations("chat.tool");
  const inWords = useSentence();
  const note = useToolNote(item, true, to !== null);
  const isBad = item.state === "failed" || item.state === "denied" || item.state === "unknown";
  const why = item.result ? (onlyText(item.result.content).trim().split("\n")[0] ?? "") : "";
  const state = isBad ? tool(`state.${item.state}`) : note;
  const text = isBad && why ? t("because", { state, why: inWords(why) }) : state;
  // It was never sent: its words stand at the beginning of the line.
  const end = from === null ? axis.from : (to ?? now);
  return (
    <>
      {from !== null && (
        <i className={cn(barLook, isBad ? "bg-shu" : "bg-ink-2")} style={span(axis, from, end)} />
      )}
      <Note axis={axis} from={from ?? axis.from} to={end} text={text.slice(0, 120)} isBad={isBad} />
    </>
  );
}

function WaitBar({ step: { from, to, answer }, axis, now }: BarsProps<WaitStep>) {
  const t = useTranslations("run");
  const word = useAnswerWord();
  const time = showDuration((to ?? now) - from);
  return (
    <span
      className="absolute top-1 h-4 min-w-0.5 truncate bg-shu-wash px-1 text-center text-[12px]/4 font-semibold text-shu inset-ring-[1.5px] inset-ring-shu phone:top-2 phone:text-transparent"
      style={span(axis, from, to ?? now)}
    >
      {answer ? t("waited", { time, answer: word(answer) }) : time}
    </span>
  );
}

interface NoteProps {
  axis: TimeAxis;
  from: number;
  to: number;
  text: string;
  isBad?: boolean;
}

/** Beside the bar, where there is more room. */
function Note({ axis, from, to, text, isBad = false }: NoteProps) {
  if (text === "") return null;
  const [start, end] = [placeOn(axis, from), placeOn(axis, to)];
  const isRight = 1 - end >= start;
  return (
    <span
      className={cn(
        "absolute inset-y-0 truncate px-1.5 text-[12px]",
        isBad ? "font-semibold text-shu" : "text-ink-3 phone:hidden",
        !isRight && "text-right",
      )}
      style={isRight ? { left: `${end * 100}%`, right: 0 } : { left: 0, right: `${(1 - start) * 100}%` }}
    >
      {text}
    </span>
  );
}

const barLook = "absolute top-[7px] h-2.5 min-w-0.5 rounded-[1px] phone:top-[11px] forced-color-adjust-none";
const hatchLook = "bg-[repeating-linear-gradient(115deg,var(--ink-3)_0_1px,transparent_1px_4px)]";

const span = (axis: TimeAxis, from: number, to: number) => {
  const start = placeOn(axis, from);
  return { left: `${start * 100}%`, width: `${(placeOn(axis, to) - start) * 100}%` };
};
