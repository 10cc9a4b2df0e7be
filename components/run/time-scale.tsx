"use client";

import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { loadOf, mostAtOnce } from "@/lib/client/run/calls-at-once";
import { showDuration } from "@/lib/client/run/durations";
import type { StepLoop } from "@/lib/client/run/run-step";
import { placeOn, type TimeAxis, tickName, ticksOf } from "@/lib/client/run/time-axis";
import { rowGrid } from "./step-row";

/** The times along the line, and its lines through all rows. */
export function TimeScale({ axis, name }: { axis: TimeAxis; name: string }) {
  const t = useTranslations("run");
  const ticks = useMemo(() => ticksOf(axis), [axis]);
  return (
    <div className={cn(rowGrid, "text-[11px] leading-6 text-ink-3")}>
      <span className="truncate pt-px text-micro/6">
        <span className="hidden phone:inline">{name}</span>
      </span>
      <span className="relative h-6" aria-hidden="true">
        {ticks.map((tick, index) => (
          <span
            key={`${tick.at} ${tick.isEdge}`}
            className={cn(
              "absolute -translate-x-1/2 whitespace-nowrap first:translate-x-0",
              tick.isEdge ? "not-phone:not-first:hidden" : "phone:hidden",
              tick.at > 0.97 && "-translate-x-full",
              // Beside the sidebar there is no room for every one.
              index % 2 === 1 && "max-[1000px]:not-phone:hidden",
            )}
            style={{ left: percent(tick.at) }}
          >
            {tickName(tick)}
          </span>
        ))}
        {axis.folds.map((fold) => (
          <span
            key={fold.from}
            className={cn("absolute truncate text-center phone:hidden", fold.waitedMs !== null && "text-shu")}
            style={between(axis, fold.from, fold.to)}
          >
            {fold.waitedMs === null
              ? t("axis.paused", { time: showDuration(fold.to - fold.from) })
              : t("axis.folded", { time: showDuration(fold.waitedMs) })}
          </span>
        ))}
      </span>
      <span className="text-right text-micro/6">{t("axis.took")}</span>
      <span aria-hidden="true" className={cn(rowGrid, "pointer-events-none absolute inset-0 -z-1")}>
        <span className="relative col-start-2 mt-12 h-[calc(100%-48px)] phone:mt-6 phone:h-[calc(100%-24px)]">
          {ticks.map(({ at, isEdge }) => (
            <i
              key={`${at} ${isEdge}`}
              className={cn("absolute inset-y-0 w-px bg-rule", !isEdge && "phone:hidden")}
              style={{ left: percent(at) }}
            />
          ))}
        </span>
      </span>
    </div>
  );
}

interface LoadProps {
  loops: readonly StepLoop[];
  axis: TimeAxis;
  now: number;
}

/** How much ran at once, in steps along the line. */
export function Load({ axis, loops, now }: LoadProps) {
  const t = useTranslations("run");
  const load = useMemo(() => loadOf(axis, loops, now), [axis, loops, now]);
  const most = mostAtOnce(load);
  if (most === 0) return null;
  const path = load.reduce(
    (drawn, { at, count }) => `${drawn}H${at * 1000}V${18 - (18 * count) / most}`,
    "M0 18",
  );
  return (
    <div className={cn(rowGrid, "leading-6 text-ink-3 phone:hidden")}>
      <span>{t("axis.atOnce")}</span>
      <svg
        className="mt-1 h-[18px] w-full"
        viewBox="0 0 1000 18"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path d={`${path}H1000V18Z`} fill="var(--ink-3)" />
      </svg>
      <span className="text-right text-ink-2">{most}</span>
    </div>
  );
}

const percent = (share: number) => `${share * 100}%`;

const between = (axis: TimeAxis, from: number, to: number) => ({
  left: percent(placeOn(axis, from)),
  width: percent(placeOn(axis, to) - placeOn(axis, from)),
});
