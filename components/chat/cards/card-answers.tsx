"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { isEnter } from "@/components/chat/composer/is-send-key";
import { Button } from "@/components/ui/button";
import type { Decision } from "@/lib/client/conversation/chat-store";
import type { BudgetRequest, PendingRequest } from "@/lib/protocol/chunk";
import { CardBar } from "./card-bar";
import { useAmount } from "./use-amount";

export interface CardAnswersProps {
  request: PendingRequest;
  busy: boolean;
  /** The arguments as edited cannot be sent. */
  blocked: boolean;
  onAnswer(decision: NonNullable<Decision["decision"]>, reason?: string): Promise<void>;
  /** Denies it, and keeps the definition that it is about from being called. */
  onBlock(reason?: string): Promise<void>;
}

/** What can be answered; on phones it is pinned to the bottom in place of the message field. */
export function CardAnswers({ request, busy, blocked, onAnswer, onBlock }: CardAnswersProps) {
  if (request.type === "budget_request")
    return <BudgetAnswers request={request} busy={busy} onAnswer={onAnswer} />;
  if (request.type !== "approval_request") return null;
  if (request.reason === "outcome_unknown")
    return <UnknownAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} />;
  if (request.reason === "changed_definition")
    return <ChangedAnswers busy={busy} blocked={blocked} onAnswer={onAnswer} onBlock={onBlock} />;
  const Answers = request.reason === "sampling" ? SamplingAnswers : ApprovalAnswers;
  return <Answers busy={busy} blocked={blocked} onAnswer={onAnswer} />;
}

type AnswersProps = Omit<CardAnswersProps, "request" | "onBlock">;

function ApprovalAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  const [reason, setReason] = useState("");
  return (
    <CardBar>
      <div className="seal-acts">
        <Allow label={t("once")} disabled={busy || blocked} onAnswer={onAnswer} />
        <Button keys="R" disabled={busy || blocked} onClick={() => void onAnswer("approve_run")}>
          {t("run")}
        </Button>
        <Button keys="Shift+A" disabled={busy || blocked} onClick={() => void onAnswer("approve_always")}>
          {t("always")}
        </Button>
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
        <Button
          tone="ink"
          keys="Mod+Enter"
          disabled={busy || blocked}
          onClick={() => void onAnswer("approve")}
        >
          {t("definition.accept")}
        </Button>
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

interface AllowProps extends Pick<CardAnswersProps, "onAnswer"> {
  label: string;
  disabled: boolean;
}

function Allow({ label, disabled, onAnswer }: AllowProps) {
  return (
    <Button tone="ink" keys="Mod+Enter" disabled={disabled} onClick={() => void onAnswer("approve")}>
      {label}
    </Button>
  );
}

/** Whatever a server has the model write is looked at each time. */
function SamplingAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <CardBar>
      <div className="seal-acts">
        <Allow label={t("allow")} disabled={busy || blocked} onAnswer={onAnswer} />
        <Button keys="D" className="deny" disabled={busy} onClick={() => void onAnswer("deny")}>
          {t("deny")}
        </Button>
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
        <Button tone="ink" disabled={busy || blocked} onClick={() => void onAnswer("retry")}>
          {t("sendAgain")}
        </Button>
        <Button disabled={busy} onClick={() => void onAnswer("done")}>
          {t("markDone")}
        </Button>
        <Button disabled={busy} onClick={() => void onAnswer("skip")}>
          {t("skip")}
        </Button>
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
        <Button tone="ink" keys="Mod+Enter" disabled={busy} onClick={() => void onAnswer("more")}>
          {known ? t(`more.${known}`, { amount: amount(known, of), count: of }) : t("more.repeat")}
        </Button>
        <Button keys="F" disabled={busy} onClick={() => void onAnswer("finish")}>
          {t("finish")}
        </Button>
        <Button keys="D" disabled={busy} onClick={() => void onAnswer("stop")}>
          {t("stop")}
        </Button>
      </div>
    </CardBar>
  );
}
