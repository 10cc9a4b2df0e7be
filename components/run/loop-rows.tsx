"use client";

import { memo } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Ring } from "@/components/ui/ring";
import { showDuration } from "@/lib/client/run/durations";
import type { StepLoop } from "@/lib/client/run/run-step";
import type { TimeAxis } from "@/lib/client/run/time-axis";
import { rowGrid, StepRow } from "./step-row";

export interface LoopRowsProps {
  loop: StepLoop;
  axis: TimeAxis;
  /** 0 for a loop in which nothing goes on, so that it is not drawn again. */
  now: number;
  model: string;
  /** The step that takes the focus, and the one whose detail is open; null where they are in another loop. */
  active: string | null;
  picked: string | null;
  onPick(key: string): void;
}

/** A loop with its steps. Of a long run all but the loops that have changed stay as they are. */
export const LoopRows = memo(function LoopRows({
  loop,
  axis,
  now,
  model,
  active,
  picked,
  onPick,
}: LoopRowsProps) {
  const t = useTranslations("run");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <section
      role="group"
      aria-label={t("loop", { number: loop.number })}
      className="relative -mx-2 px-2 [content-visibility:auto] [overflow-clip-margin:8px]"
      style={{ containIntrinsicBlockSize: `auto ${28 + 24 * loop.steps.length}px` }}
    >
      <div className={cn(rowGrid, "h-7 leading-7 rule-t phone:h-8 phone:leading-8")}>
        <span className="flex items-center gap-2 font-semibold">
          <Ring state={loop.to === null ? "run" : "done"} number={loop.number} />
          {t("loop", { number: loop.number })}
        </span>
        <span />
        <span className="text-right text-ink-2">{showDuration((loop.to ?? now) - loop.from)}</span>
      </div>
      {loop.steps.map((step) => (
        <StepRow
          key={step.key}
          step={step}
          axis={axis}
          now={step.from !== null && step.to === null ? now : 0}
          model={loop.agent === undefined ? model : t("model")}
          isActive={step.key === active}
          isPicked={step.key === picked}
          onPick={onPick}
        />
      ))}
    </section>
  );
});
