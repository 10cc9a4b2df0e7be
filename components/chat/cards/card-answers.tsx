"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { isEnter } from "@/components/chat/parts/is-send-key";
import { useAmount } from "@/components/chat/parts/use-amount";
import { Button } from "@/components/ui/button";
import type { ApprovalRequest, BudgetRequest, Decision } from "@/lib/protocol/chunk";
import { AnswerButtons } from "./answer-buttons";
import { CardBar } from "./card-bar";

export interface CardAnswersProps {
  request: ApprovalRequest | BudgetRequest;
  busy: boolean;
  /** The arguments as edited cannot be sent. */
  blocked: boolean;
  onAnswer(decision: Decision, reason?: string): Promise<void>;
  /** Denies it, and keeps the definition that it is about from being called. */
  onBlock(reason?: string): Promise<void>;
}

/** What can be answered; on phones it is pinned to the bottom in place of the message field. */
export function CardAnswers({ request, busy, blocked, onAnswer, onBlock }: CardAnswersProps) {
  if (request.type === "budget_request")
    return <BudgetAnswers request={request} busy={busy} onAnswer={onAnswer} />;
  switch (request.reason) {
    case "rule":
      return <ApprovalAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} />;
    case "changed_definition":
      return <ChangedAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} onBlock={onBlock} />;
    case "outcome_unknown":
      return <UnknownAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} />;
    case "sampling":
      return <SamplingAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} />;
  }
}

type AnswersProps = Omit<CardAnswersProps, "request" | "onBlock">;

function ApprovalAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  const [reason, setReason] = useState("");
  return (
    <CardBar>
      <div className="seal-acts">
        <AnswerButtons
          kind="rule"
          labels={{
            approve: t("once"),
            approve_run: t("run"),
            approve_always: t("always"),
            deny: t("deny"),
          }}
          without="deny"
          {...{ busy, blocked, onAnswer }}
        />
      </div>
      <DenyRow reason={reason} setReason={setReason} busy={busy} onAnswer={onAnswer} />
    </CardBar>
  );
}

/** Nothing of it runs before the definition is accepted, and a yes accepts it for good. */
function ChangedAnswers({ busy, blocked, onAnswer, onBlock }: Omit<CardAnswersProps, "request">) {
  const t = useTranslations("chat.card");
  const [reason, setReason] = useState("");
  return (
    <CardBar>
      <div className="seal-acts">
        <AnswerButtons
          kind="changed_definition"
          labels={{ approve: t("definition.accept"), deny: t("deny") }}
          without="deny"
          {...{ busy, blocked, onAnswer }}
        />
        <Button className="phone:col-span-full" disabled={busy} onClick={() => void onBlock(reason.trim())}>
          {t("definition.block")}
        </Button>
      </div>
      <DenyRow reason={reason} setReason={setReason} busy={busy} onAnswer={onAnswer} />
    </CardBar>
  );
}

interface DenyRowProps extends Pick<CardAnswersProps, "busy" | "onAnswer"> {
  reason: string;
  setReason(reason: string): void;
}

function DenyRow({ reason, setReason, busy, onAnswer }: DenyRowProps) {
  const t = useTranslations("chat.card");
  return (
    <div className="seal-deny">
      <input
        data-reason
        className="field"
        aria-label={t("reason")}
        placeholder={t("reasonHint")}
        value={reason}
        maxLength={2000}
        enterKeyHint="send"
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || !isEnter(event)) return;
          event.preventDefault();
          if (reason.trim() !== "" && !event.repeat) void onAnswer("deny", reason.trim());
        }}
      />
      <Button keys="D" className="deny" disabled={busy} onClick={() => void onAnswer("deny", reason.trim())}>
        {t("deny")}
      </Button>
    </div>
  );
}

/** What a server wants the model to write is looked at each time. */
function SamplingAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <CardBar>
      <div className="seal-acts">
        <AnswerButtons
          kind="sampling"
          labels={{ approve: t("allow"), deny: t("deny") }}
          {...{ busy, blocked, onAnswer }}
        />
      </div>
    </CardBar>
  );
}

/** Sent, and nobody knows whether it was done: only a person can look. */
function UnknownAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <CardBar>
      <div className="seal-acts">
        <AnswerButtons
          kind="outcome_unknown"
          labels={{ retry: t("sendAgain"), done: t("markDone"), skip: t("skip") }}
          {...{ busy, blocked, onAnswer }}
        />
      </div>
    </CardBar>
  );
}

interface BudgetAnswersProps extends Pick<CardAnswersProps, "busy" | "onAnswer"> {
  request: BudgetRequest;
}

/** Something has run out: as much again, an answer with what there is, or the end. */
function BudgetAnswers({ request: { limit, of }, busy, onAnswer }: BudgetAnswersProps) {
  const t = useTranslations("chat.card.budget");
  const amount = useAmount();
  const known = (["tokens", "toolCalls", "cost", "timeMs"] as const).find((name) => name === limit);
  return (
    <CardBar ownStop>
      <div className="seal-acts">
        <AnswerButtons
          kind="budget"
          labels={{
            more: known ? t(`more.${known}`, { amount: amount(known, of), count: of }) : t("more.repeat"),
            finish: t("finish"),
            stop: t("stop"),
          }}
          {...{ busy, onAnswer }}
        />
      </div>
    </CardBar>
  );
}
