"use client";

import type { ReactNode } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { cn } from "@/components/ui/cn";
import { loadOf, mostAtOnce } from "@/lib/client/run/calls-at-once";
import { showDuration } from "@/lib/client/run/durations";
import type { StepLoop } from "@/lib/client/run/run-step";
import type { RunView } from "@/lib/client/run/run-view";
import type { TimeAxis } from "@/lib/client/run/time-axis";

export interface RunFiguresProps {
  view: RunView;
  loops: readonly StepLoop[];
  axis: TimeAxis;
  now: number;
}

/** What the run took, in a row; on phones the six that matter most. */
export function RunFigures({ view, loops, axis, now }: RunFiguresProps) {
  const t = useTranslations("run.figures");
  const format = useFormatter();
  const amount = useAmount();
  const { inputTokens, outputTokens, cost } = view.usage;
  const calls = loops.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === "call" ? [step] : [])));
  const failed = calls.filter(({ item }) => item.state === "failed").length;
  const atOnce = mostAtOnce(loadOf(axis, loops, now));
  const limit = loops.at(-1)?.limit;
  const asides = [failed > 0 && t("failed", { count: failed }), atOnce > 1 && t("atOnce", { count: atOnce })];
  const short = { notation: "compact", maximumFractionDigits: 1 } as const;
  return (
    <dl className="flex flex-wrap gap-x-10 gap-y-3 py-4 phone:grid phone:grid-cols-3 phone:gap-x-4">
      <Figure name={t("working")}>{showDuration(axis.workedMs)}</Figure>
      <Figure name={t("waiting")} waits={axis.waitedMs > 0}>
        {showDuration(axis.waitedMs)}
      </Figure>
      <Figure name={t("loops")}>
        {loops.length} {limit && <Aside>{t("ofLoops", { limit })}</Aside>}
      </Figure>
      <Figure name={t("modelCalls")} className="phone:hidden">
        {loops.length}
      </Figure>
      <Figure name={t("toolCalls")}>
        {calls.length}{" "}
        <Aside>
          {asides[0]}
          <span className="phone:hidden">{asides.every(Boolean) && t("and")}</span>
          <span className="phone:hidden">{asides[1]}</span>
        </Aside>
      </Figure>
      <Figure name={t("tokens")}>
        <span className="phone:hidden">
          {format.number(inputTokens)} <Aside>{t("in")}</Aside> {format.number(outputTokens)}{" "}
          <Aside>{t("out")}</Aside>
        </span>
        <span className="hidden phone:inline">{format.number(inputTokens + outputTokens, short)}</span>
      </Figure>
      <Figure name={t("cost")}>
        {cost === undefined ? <Aside>{t("costUnknown")}</Aside> : amount("cost", cost)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  name: string;
  waits?: boolean;
  className?: string;
  children: ReactNode;
}

function Figure({ name, waits, className, children }: FigureProps) {
  return (
    <div className={cn("whitespace-nowrap phone:min-w-0", className)}>
      <dt className="text-micro text-ink-3">{name}</dt>
      <dd
        className={cn(
          "font-voice text-[22px]/7 lining-nums tabular-nums phone:text-[20px]/7 phone:whitespace-normal",
          waits && "text-shu",
        )}
      >
        {children}
      </dd>
    </div>
  );
}

const Aside = ({ children }: { children: ReactNode }) => (
  <small className="font-text text-mach text-ink-3 phone:text-micro">{children}</small>
);
