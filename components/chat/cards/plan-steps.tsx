"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { type DraftStep, isNarrowed, type PlanDraft } from "./use-plan-draft";

/** One line a step: its tool, what of its arguments is fixed, and at most how many calls. */
export function PlanSteps({ draft, disabled }: { draft: PlanDraft; disabled: boolean }) {
  return (
    <ol>
      {draft.steps.map((step, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a proposal stay as many
        <StepRow key={at} number={at + 1} step={step} disabled={disabled} draft={draft} />
      ))}
    </ol>
  );
}

interface StepRowProps {
  number: number;
  step: DraftStep;
  disabled: boolean;
  draft: PlanDraft;
}

function StepRow({ number, step, disabled, draft }: StepRowProps) {
  const t = useTranslations("chat.card.plan");
  const { proposed, max, isRemoved } = step;
  const { server, tool } = toolName({ name: proposed.tool });
  const at = number - 1;
  return (
    <li className="grid min-h-9 grid-cols-[20px_176px_minmax(0,1fr)_auto] items-center gap-x-3 py-1 text-mach shadow-[inset_0_-1px_var(--line)] phone:grid-cols-[20px_minmax(0,1fr)]">
      <span className="text-ink-2">{number}</span>
      <span className={cn("wrap-anywhere", isRemoved && "text-ink-3 line-through")}>
        <b className="font-semibold">{showInvisible(server)}</b>
        {server && " · "}
        {showInvisible(tool)}
      </span>
      <Bounds step={step} />
      <span className="flex items-center justify-end gap-2 whitespace-nowrap phone:col-start-2 phone:justify-start">
        {isNarrowed(step) && (
          <TextButton
            className="self-center"
            disabled={disabled}
            aria-label={t("putBackOf", { number })}
            onClick={() => draft.putBack(at)}
          >
            {t("putBack")}
          </TextButton>
        )}
        {isRemoved ? (
          <span className="text-ink-2">{t("removed")}</span>
        ) : (
          <>
            <span className="text-ink-2">
              {t("atMost")}
              {max !== proposed.max && <s className="ml-2">{proposed.max}</s>}
            </span>
            <MaxField
              label={t("atMostOf", { number })}
              max={max}
              most={proposed.max}
              disabled={disabled}
              onChange={(next) => draft.change(at, { max: next })}
            />
            <IconButton
              icon="cross"
              iconSize={12}
              className="size-6"
              label={t("remove", { number })}
              tipSide="right-edge"
              disabled={disabled}
              onClick={() => draft.change(at, { isRemoved: true })}
            />
          </>
        )}
      </span>
    </li>
  );
}

interface MaxFieldProps {
  label: string;
  max: number;
  most: number;
  disabled: boolean;
  onChange(max: number): void;
}

/** Can be empty while somebody writes in it; what is no number from 1 to what was proposed changes nothing. */
function MaxField({ label, max, most, disabled, onChange }: MaxFieldProps) {
  const [text, setText] = useState<string | null>(null);
  return (
    <input
      type="number"
      className="field w-14 bg-paper text-center"
      aria-label={label}
      min={1}
      max={most}
      step={1}
      value={text ?? max}
      disabled={disabled}
      onChange={({ target }) => {
        setText(target.value);
        const next = target.valueAsNumber;
        if (Number.isInteger(next) && next >= 1 && next <= most) onChange(next);
      }}
      onBlur={() => setText(null)}
    />
  );
}

function Bounds({ step: { proposed, fixed, isRemoved } }: { step: DraftStep }) {
  const t = useTranslations("chat.card.plan");
  const said = proposed.readOnly ? t("readOnly") : proposed.destructive ? t("destructive") : undefined;
  const names = Object.keys(fixed);
  return (
    <span
      className={cn(
        "font-mono text-[12px]/5 wrap-anywhere text-ink-2 phone:col-start-2",
        isRemoved && "text-ink-3 line-through",
      )}
    >
      {said && (
        <span className={cn("mr-2 font-text", proposed.destructive && "font-semibold text-ink")}>{said}</span>
      )}
      {names.length === 0 && <span className="font-text">{t("anything")}</span>}
      {names.map((name) => (
        <span
          key={name}
          className="mr-2 inline-block max-h-[120px] max-w-full overflow-y-auto whitespace-pre-wrap"
        >
          <b className="font-normal text-ink">{showInvisible(name)}</b> = {showInvisible(shown(fixed[name]))}
        </span>
      ))}
    </span>
  );
}

const shown = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
