"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import type { GivenAnswer } from "@/lib/client/conversation/chat-store";
import type { ApprovalRequest } from "@/lib/protocol/chunk";
import { AnswerButtons, isPressed, pressedAnswer } from "./answer-buttons";
import { argumentLines } from "./call-arguments";
import { bringIntoSight, CardFrame, type CardPlace, isInSight } from "./card-frame";
import { DeniableAnswers } from "./deniable-answers";
import { PlanBound } from "./plan-bound";
import { PlanSteps } from "./plan-steps";
import { usePlanDraft } from "./use-plan-draft";

export interface PlanCardProps extends CardPlace {
  request: ApprovalRequest;
  onAnswer(given: GivenAnswer): Promise<void>;
}

const eachKeys = "E";

/** A plan that a model proposes: a person makes it narrower, allows it once, or wants to be asked about each call. */
export default function PlanCard({ request, onAnswer, ...place }: PlanCardProps) {
  const t = useTranslations("chat.card");
  const [isSent, setSent] = useState(false);
  const [reason, setReason] = useState("");
  const [isBinding, setBinding] = useState(false);
  const busy = isSent || place.isArriving;
  const draft = usePlanDraft(request.plan?.steps ?? []);
  const destroying = draft.steps.filter(
    ({ proposed, isRemoved }) => proposed.destructive && !isRemoved,
  ).length;
  const give = async (given: GivenAnswer) => {
    if (busy) return;
    setSent(true);
    await onAnswer(given);
    setSent(false);
  };
  const allow = () =>
    draft.left.length > 0
      ? give({ decision: "approve", ...(draft.isChanged && { plan: { steps: [...draft.left] } }) })
      : Promise.resolve();
  const askEach = () => give({ decision: "approve", plan: { steps: [] } });
  const deny = (why = reason.trim()) => give({ decision: "deny", ...(why && { reason: why }) });
  return (
    <CardFrame
      title={t("plan.title", { count: draft.calls })}
      announced={t("plan.titleAny")}
      asks="consent"
      busy={busy}
      {...place}
      onKeyDown={(event, card) => {
        const decision = pressedAnswer(event, "plan");
        const act = isPressed(event, eachKeys)
          ? askEach
          : decision === "approve"
            ? allow
            : decision === "deny"
              ? () => deny()
              : undefined;
        if (!act) return;
        event.preventDefault();
        if (!isInSight(card)) bringIntoSight(card);
        else if (!event.repeat) void act();
      }}
    >
      <p className="mb-2 text-mach text-ink-2">
        {t("plan.what")}
        {destroying > 0 && (
          <b className="font-semibold text-ink"> {t("plan.destroys", { count: destroying })}</b>
        )}
      </p>
      <div className={argumentLines}>
        <PlanSteps draft={draft} disabled={busy} />
        {isBinding && <PlanBound draft={draft} onDone={() => setBinding(false)} />}
      </div>
      <DeniableAnswers
        {...{ busy, reason, setReason }}
        hint={t("plan.reasonHint")}
        onAnswer={(_, why) => deny(why)}
      >
        <AnswerButtons
          kind="plan"
          labels={{ approve: t("plan.allow"), deny: t("deny") }}
          without={["deny"]}
          busy={busy}
          blocked={draft.left.length === 0}
          onAnswer={allow}
        />
        <Button keys={eachKeys} disabled={busy} onClick={() => void askEach()}>
          {t("plan.each")}
        </Button>
        <Button
          tone="quiet"
          className="ml-auto phone:ml-0"
          disabled={busy}
          aria-expanded={isBinding}
          onClick={() => setBinding(!isBinding)}
        >
          {t("plan.bound")}
        </Button>
      </DeniableAnswers>
    </CardFrame>
  );
}
