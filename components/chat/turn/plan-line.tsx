"use client";

import { createContext, useContext } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { TextButton } from "@/components/ui/controls/text-button";
import type { PlanView } from "@/lib/client/run/plan-view";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { PlanStep } from "@/lib/protocol/plan";
import { showInvisible } from "@/lib/protocol/show-invisible";

export interface TurnPlans {
  /** By the call that proposed them. */
  plans: ReadonlyMap<ToolCallId, PlanView>;
  /** Absent where the answer is only read. */
  takeBack?: (() => void) | undefined;
}

export const TurnPlansContext = createContext<TurnPlans>({ plans: new Map() });

/** The plan that this call has proposed, once a person has approved it. */
export const usePlan = (id: ToolCallId): PlanView | undefined => useContext(TurnPlansContext).plans.get(id);

/** An approved plan in its loop: a mark for each call, filled once it was sent. */
export function PlanLine({ plan: { steps, state } }: { plan: PlanView }) {
  const t = useTranslations("chat.card.plan");
  const { takeBack } = useContext(TurnPlansContext);
  const used = steps.reduce((sum, step) => sum + step.used, 0);
  const max = steps.reduce((sum, step) => sum + step.max, 0);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div role="group" aria-label={t("label")} className="mb-3 text-mach/6 text-ink-2" data-plan={state}>
      <div className="flex flex-wrap items-center gap-x-2 rule-b">
        <span className="flex-1 text-ink">{t(takeBack ? "allowed" : "shownAllowed")}</span>
        <span>{t("used", { used, max })}</span>
        {state === "holds" && takeBack && (
          <TextButton className="self-center text-mach text-ink" onClick={takeBack}>
            {t("takeBack")}
          </TextButton>
        )}
      </div>
      <PlanSteps steps={steps} />
      <p role="status">{state === "takenBack" && t("takenBack")}</p>
    </div>
  );
}

/** Line by line, what may be called how often, and what was. */
export const PlanSteps = ({ steps }: { steps: readonly PlanStep[] }) => (
  <ul className="rule-b py-1">
    {steps.map((step, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever appended
      <UsedStep key={at} step={step} />
    ))}
  </ul>
);

/** More than these are told in figures alone. */
const maxMarks = 12;

function UsedStep({ step }: { step: PlanStep }) {
  const t = useTranslations("chat.card.plan");
  const { server, tool } = toolName({ name: step.tool });
  const { used, max } = step;
  return (
    <li className="grid grid-cols-[176px_minmax(0,1fr)_auto_88px] items-center gap-x-3 phone:grid-cols-[minmax(0,1fr)_auto_auto]">
      <span className="truncate">
        <b className="font-semibold text-ink">{showInvisible(server)}</b>
        {server && " · "}
        {showInvisible(tool)}
      </span>
      <span className="truncate font-mono text-[12px] text-ink-3 phone:col-span-full phone:row-start-2 phone:empty:hidden">
        {valuesOf(step) || (step.readOnly ? t("readOnly") : "")}
      </span>
      <span aria-hidden="true" className="flex gap-1">
        {max <= maxMarks &&
          Array.from({ length: max }, (_, at) => (
            <i
              // biome-ignore lint/suspicious/noArrayIndexKey: marks have nothing else
              key={at}
              data-used={at < used}
              className={at < used ? "h-1 w-3 bg-ink" : "h-1 w-3 shadow-[inset_0_0_0_1px_var(--rule-2)]"}
            />
          ))}
      </span>
      <span className="text-right whitespace-nowrap">
        {used >= max ? t("usedUp") : t("usedOf", { used, max })}
      </span>
    </li>
  );
}

const valuesOf = ({ fixed }: PlanStep): string =>
  Object.values(fixed)
    .map((value) => showInvisible(typeof value === "string" ? value : (JSON.stringify(value) ?? "")))
    .join(", ");
