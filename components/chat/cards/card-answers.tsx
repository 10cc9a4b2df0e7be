"use client";

import { type ReactNode, useContext, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { sourcesOf } from "@/components/chat/parts/data-flows";
import { OfProgram } from "@/components/chat/parts/of-program";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAmount } from "@/components/chat/parts/use-amount";
import { Button } from "@/components/ui/controls/button";
import { ForUser, useIsOwnConnection } from "@/components/ui/words/account";
import { useServers } from "@/lib/client/servers/servers";
import type { Decision } from "@/lib/protocol/answer";
import type { ApprovalRequest, BudgetRequest } from "@/lib/protocol/chunk";
import { AnswerButtons } from "./answer-buttons";
import { CardActs, CardBar } from "./card-bar";
import { DeniableAnswers } from "./deniable-answers";
import { addKeys } from "./outside-plan";
import { type Wider, WiderAnswers } from "./wider-answers";

export interface CardAnswersProps {
  request: ApprovalRequest | BudgetRequest;
  busy: boolean;
  /** The arguments as edited cannot be sent. */
  blocked: boolean;
  /** Which answers may cover other tools too. */
  wider: Wider;
  onAnswer(decision: Decision, reason?: string): Promise<void>;
  /** Denies it, and keeps the definition that it is about from being called. */
  onBlock(reason?: string): Promise<void>;
  /** Lets it go and puts it into the plan; absent where none holds. */
  onAdd?: (() => Promise<void>) | undefined;
  /** Between the arguments as lines and as JSON, at the right of the answers. */
  editing?: ReactNode;
}

/** What can be answered; on phones it is pinned to the bottom in place of the message field. */
export function CardAnswers({ request, onBlock, ...rest }: CardAnswersProps) {
  if (request.type === "budget_request")
    return <BudgetAnswers request={request} busy={rest.busy} onAnswer={rest.onAnswer} />;
  switch (request.reason) {
    case "rule":
      return <ApprovalAnswers server={toolName(request.call).server} {...rest} />;
    case "changed_definition":
      return <ChangedAnswers server={toolName(request.call).server} {...rest} onBlock={onBlock} />;
    case "outcome_unknown":
      return <UnknownAnswers {...rest} />;
    case "data_flow":
      return <FlowAnswers request={request} {...rest} />;
    case "plan":
      return null;
    case "sampling":
      return <SamplingAnswers {...rest} />;
    case "tape":
      return <UnrecordedAnswers {...rest} />;
  }
}

type AnswersProps = Omit<CardAnswersProps, "request" | "onBlock">;

function ApprovalAnswers(props: AnswersProps & { server: string }) {
  const { server, wider, busy, blocked, editing, onAnswer, onAdd } = props;
  const t = useTranslations("chat.card");
  const isOfProgram = useContext(OfProgram);
  const offersWider = wider.server || wider.reads;
  return (
    <DeniableAnswers hasMenu={offersWider} {...{ busy, onAnswer }}>
      <AnswerButtons
        kind="rule"
        labels={{
          approve: t("once"),
          approve_run: t(isOfProgram ? "session" : "run"),
          approve_always: t("always"),
          approve_server: t("wider.server"),
          approve_reads: t("wider.reads"),
          deny: t("deny"),
        }}
        without={onAdd ? outsideAPlan : elsewhere}
        {...{ busy, blocked, onAnswer }}
      />
      {onAdd && (
        <Button keys={addKeys} disabled={busy || blocked} onClick={() => void onAdd()}>
          {t("plan.add")}
        </Button>
      )}
      {offersWider && (
        <WiderAnswers name={server} {...wider} disabled={busy || blocked} onAnswer={onAnswer} />
      )}
      {editing}
    </DeniableAnswers>
  );
}

/** In the menu and beside the reason. */
const elsewhere = ["approve_server", "approve_reads", "deny"] as const;
/** A plan is narrower than the tool for the whole run. */
const outsideAPlan = [...elsewhere, "approve_run"] as const;

type ChangedProps = Omit<CardAnswersProps, "request"> & { server: string };

/**
 * Nothing of it runs before the definition is accepted, and a yes accepts it for good; at a server that all share a yes of a member is
 * for this call alone.
 */
function ChangedAnswers({ server, busy, blocked, editing, onAnswer, onBlock }: ChangedProps) {
  const t = useTranslations("chat.card");
  const item = useServers().data?.items.find(({ name }) => name === server) ?? shared;
  const accepts = useIsOwnConnection(item);
  const [reason, setReason] = useState("");
  return (
    <DeniableAnswers {...{ busy, reason, setReason, onAnswer }}>
      <AnswerButtons
        kind="changed_definition"
        labels={{ approve: t(accepts ? "definition.accept" : "once"), deny: t("deny") }}
        without={["deny"]}
        {...{ busy, blocked, onAnswer }}
      />
      <ForUser server={item}>
        <Button className="phone:col-span-full" disabled={busy} onClick={() => void onBlock(reason.trim())}>
          {t("definition.block")}
        </Button>
      </ForUser>
      {editing}
    </DeniableAnswers>
  );
}

/** Until it is known: it offers less. */
const shared = { scope: "shared" } as const;

/** For good it lets pass what comes from these servers, whatever tool of this one gets it. */
function FlowAnswers({ request, ...props }: AnswersProps & { request: ApprovalRequest }) {
  const { busy, blocked, editing, onAnswer } = props;
  const t = useTranslations("chat.card");
  const format = useFormatter();
  const from = format.list(sourcesOf(request.flows ?? []));
  return (
    <DeniableAnswers {...{ busy, onAnswer }}>
      <AnswerButtons
        kind="data_flow"
        labels={{
          approve: t("once"),
          approve_always: t("flow.always", { from, to: toolName(request.call).server }),
          deny: t("deny"),
        }}
        long={["approve_always"]}
        without={["deny"]}
        {...{ busy, blocked, onAnswer }}
      />
      {editing}
    </DeniableAnswers>
  );
}

/** What a server wants the model to write is looked at each time. */
function SamplingAnswers({ busy, blocked, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <CardBar>
      <CardActs>
        <AnswerButtons
          kind="sampling"
          labels={{ approve: t("allow"), deny: t("deny") }}
          {...{ busy, blocked, onAnswer }}
        />
      </CardActs>
    </CardBar>
  );
}

/** Each call that the recording does not have is looked at. */
function UnrecordedAnswers({ busy, blocked, editing, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <DeniableAnswers {...{ busy, onAnswer }}>
      <AnswerButtons
        kind="tape"
        labels={{ approve: t("once"), deny: t("deny") }}
        without={["deny"]}
        {...{ busy, blocked, onAnswer }}
      />
      {editing}
    </DeniableAnswers>
  );
}

/** Sent, and nobody knows whether it was done: only a person can look. */
function UnknownAnswers({ busy, blocked, editing, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card");
  return (
    <CardBar>
      <CardActs>
        <AnswerButtons
          kind="outcome_unknown"
          labels={{ retry: t("sendAgain"), done: t("markDone"), skip: t("skip") }}
          {...{ busy, blocked, onAnswer }}
        />
        {editing}
      </CardActs>
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
      <CardActs>
        <AnswerButtons
          kind="budget"
          labels={{
            more: known
              ? t(`more.${known}`, { amount: amount(known, of), count: of })
              : t(limit === "price" ? "more.price" : "more.repeat"),
            finish: t("finish"),
            stop: t("stop"),
          }}
          {...{ busy, onAnswer }}
        />
      </CardActs>
    </CardBar>
  );
}
