"use client";

import { type ReactNode, useMemo } from "react";
import { useTranslations } from "use-intl";
import { ModelPicker } from "@/components/chat/composer/model-picker";
import type { ForkPart } from "@/components/chat/turn/fork-context";
import type { LoopView } from "@/lib/client/run/run-view";

export interface ForkPlanProps {
  part: ForkPart;
  loop: LoopView;
  isEdited: boolean;
  model: string | null;
  setModel(model: string): void;
}

/** What the fork keeps, what is edited in it, and what is asked anew, in three lines. */
export function ForkPlan({ part, loop, isEdited, model, setModel }: ForkPlanProps) {
  const t = useTranslations("chat.fork.plan");
  const { number } = loop;
  const calls = loop.items.filter(({ kind }) => kind === "tool").length;
  const choices = useMemo(() => ({ model, setModel }), [model, setModel]);
  const isWords = part === "text";
  // What was before and what comes after is then more than the loops of one model.
  const agent = loop.agent
    ?.split("/")
    .at(-1)
    ?.replace(/\.\d+$/, "");
  const others = calls - (isWords ? calls : 1);
  return (
    <dl className="mt-3 grid grid-cols-[96px_minmax(0,1fr)] items-baseline gap-x-3 text-mach leading-5 phone:grid-cols-[80px_minmax(0,1fr)]">
      <Row name={t("kept")}>
        {agent !== undefined
          ? t("keptAgents", { others })
          : isWords
            ? t("keptBefore", { before: number - 1 })
            : t("keptWith", { loop: number, others })}
      </Row>
      <Row name={t("edited")}>
        {!isEdited && !isWords ? t("nothing") : t(`what.${part}`, { loop: number, calls })}
      </Row>
      <Row name={t("asked")}>
        {isWords && agent === undefined ? (
          t("nobody")
        ) : (
          <span className="flex min-w-0 items-center gap-1">
            {agent === undefined
              ? t("next", { loop: number + 1 })
              : t(isWords ? "agentsAfter" : "agents", { agent })}
            <ModelPicker options={choices} />
          </span>
        )}
      </Row>
    </dl>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-h-5">{children}</dd>
    </>
  );
}
