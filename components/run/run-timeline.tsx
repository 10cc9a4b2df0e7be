"use client";

import { Fragment, type KeyboardEvent, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Ring } from "@/components/ui/ring";
import { showDuration } from "@/lib/client/run/durations";
import type { StepLoop } from "@/lib/client/run/run-steps";
import { loadOf, mostAtOnce, placeOn, type TimeAxis, tickName, ticksOf } from "@/lib/client/run/time-axis";
import { rowGrid, StepRow } from "./step-row";

export interface RunTimelineProps {
  loops: readonly StepLoop[];
  axis: TimeAxis;
  now: number;
  model: string;
  name: string;
  /** The step whose detail is open. */
  picked: string | null;
  onPick(key: string | null): void;
  onClose(): void;
}

/** Loops with their steps as bars on one line of time. One step takes the focus; the arrow keys go on from it. */
export function RunTimeline({ loops, axis, now, model, name, picked, onPick, onClose }: RunTimelineProps) {
  const t = useTranslations("run");
  const [held, setHeld] = useState<string | null>(null);
  const steps = loops.flatMap((loop) => loop.steps);
  const active = steps.some(({ key }) => key === held) ? held : steps[0]?.key;
  const pick = (key: string) => {
    setHeld(key);
    onPick(key === picked ? null : key);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape" && picked !== null) {
      event.preventDefault();
      return onClose();
    }
    const next = stepAfter(event);
    if (!next) return;
    event.preventDefault();
    const key = next.dataset.step ?? null;
    setHeld(key);
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    if (picked !== null) onPick(key);
  };
  return (
    // The keys are those of the buttons inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div className="relative isolate rule-t pb-2 text-mach" onKeyDown={onKeyDown}>
      <Axis axis={axis} name={name} />
      <Load axis={axis} loops={loops} now={now} />
      {loops.map((loop, at) => (
        <Fragment key={loop.number}>
          {loop.agent !== undefined && loop.agent !== loops[at - 1]?.agent && (
            <h2 className="pt-2 text-micro font-semibold text-ink-3 wrap-anywhere rule-t">{loop.agent}</h2>
          )}
          {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
          <section
            role="group"
            aria-label={t("loop", { number: loop.number })}
            className="relative -mx-2 px-2 [content-visibility:auto] [overflow-clip-margin:8px]"
            style={{ containIntrinsicBlockSize: `auto ${28 + 24 * loop.steps.length}px` }}
          >
            <LoopHead loop={loop} now={now} />
            {loop.steps.map((step) => (
              <StepRow
                key={step.key}
                step={step}
                axis={axis}
                now={step.from !== null && step.to === null ? now : 0}
                model={loop.agent === undefined ? model : t("model")}
                isActive={step.key === active}
                isPicked={step.key === picked}
                onPick={pick}
              />
            ))}
          </section>
        </Fragment>
      ))}
    </div>
  );
}

/** The step that a key leads to; undefined for any other key, and at either end. */
function stepAfter(event: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  const { key, altKey, ctrlKey, metaKey, currentTarget, target } = event;
  if (altKey || ctrlKey || metaKey || !(target instanceof HTMLElement)) return undefined;
  const all = [...currentTarget.querySelectorAll<HTMLElement>("[data-step]")];
  const at = all.indexOf(target);
  if (at < 0) return undefined;
  switch (key) {
    case "ArrowUp":
      return all[at - 1];
    case "ArrowDown":
      return all[at + 1];
    case "Home":
      return all[0];
    case "End":
      return all.at(-1);
    default:
      return undefined;
  }
}

function LoopHead({ loop, now }: { loop: StepLoop; now: number }) {
  const t = useTranslations("run");
  return (
    <div className={cn(rowGrid, "h-7 leading-7 rule-t phone:h-8 phone:leading-8")}>
      <span className="flex items-center gap-2 font-semibold">
        <Ring state={loop.to === null ? "run" : "done"} number={loop.number} />
        {t("loop", { number: loop.number })}
      </span>
      <span />
      <span className="text-right text-ink-2">{showDuration((loop.to ?? now) - loop.from)}</span>
    </div>
  );
}

/** The times along the line, and its lines through all rows. */
function Axis({ axis, name }: { axis: TimeAxis; name: string }) {
  const t = useTranslations("run");
  const ticks = useMemo(() => ticksOf(axis), [axis]);
  return (
    <div className={cn(rowGrid, "text-[11px] leading-6 text-ink-3")}>
      <span className="truncate pt-px text-micro/6">
        <span className="hidden phone:inline">{name}</span>
      </span>
      <span className="relative h-6" aria-hidden="true">
        {ticks.map((tick) => (
          <span
            key={`${tick.at} ${tick.isEdge}`}
            className={cn(
              "absolute -translate-x-1/2 whitespace-nowrap first:translate-x-0",
              tick.isEdge ? "not-phone:not-first:hidden" : "phone:hidden",
              tick.at > 0.97 && "-translate-x-full",
            )}
            style={{ left: percent(tick.at) }}
          >
            {tickName(tick)}
          </span>
        ))}
        {axis.folds.map((fold) => (
          <span
            key={fold.from}
            className={cn("absolute truncate text-center phone:hidden", fold.isWait && "text-shu")}
            style={between(axis, fold.from, fold.to)}
          >
            {t(fold.isWait ? "axis.folded" : "axis.paused", { time: showDuration(fold.to - fold.from) })}
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

/** How much ran at once, in steps along the line. */
function Load({ axis, loops, now }: Pick<RunTimelineProps, "axis" | "loops" | "now">) {
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
