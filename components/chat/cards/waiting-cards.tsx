"use client";

import { useEffect, useRef, useState } from "react";
import type { ComposerHandle } from "@/components/chat/composer/message-field";
import { latePart, useLatePart } from "@/components/ui/late-part";
import type { ChatStore, GivenAnswer } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { type PlanView, plansOf } from "@/lib/client/run/plan-view";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { CardPlace } from "./card-frame";
import type { InputCardProps } from "./input-card";
import type { PlanCardProps } from "./plan-card";
import type { SignInCardProps } from "./sign-in-card";
import type { StepCardProps } from "./step-card";
import type { WaitingCardProps } from "./waiting-card";

// Read with the first question: most answers ask none.
const inputCard = latePart<InputCardProps>(() => import("./input-card"));
const signInCard = latePart<SignInCardProps>(() => import("./sign-in-card"));
const stepCard = latePart<StepCardProps>(() => import("./step-card"));
const planCard = latePart<PlanCardProps>(() => import("./plan-card"));
const waitingCard = latePart<WaitingCardProps>(() => import("./waiting-card"));

/** A second press that was meant for the question before comes within this time. */
const arrivesMs = 400;

export interface WaitingCardsProps {
  chat: ChatStore;
  state: ConversationState;
  composer: React.RefObject<ComposerHandle | null>;
  onStop(): void;
}

/** The questions that the last answer waits with: one at a time, oldest first. */
export function WaitingCards({ chat, state, composer, onStop }: WaitingCardsProps) {
  const view = state.turns.at(-1)?.answer?.view;
  const pending = view?.pending ?? none;
  const runId = view?.runId;
  const isWaiting = runId != null && pending.length > 0;
  const answeredAt = useRef(Number.NEGATIVE_INFINITY);
  useFocusAfterLast(isWaiting, composer);
  if (!view || !isWaiting) return null;
  const answer = async (request: PendingRequest, given: GivenAnswer) => {
    await chat.answer(runId, request, given);
    answeredAt.current = performance.now();
  };
  return (
    <Cards
      chat={chat}
      runId={runId}
      pending={pending}
      plan={[...plansOf(view).values()].find(({ state }) => state === "holds")}
      since={view.endedAt ?? view.lastAt}
      answeredAt={answeredAt}
      takesFocus={() => composer.current?.isEmpty() ?? true}
      onAnswer={answer}
      onStop={onStop}
    />
  );
}

const none: readonly PendingRequest[] = [];

interface CardsProps extends Pick<CardPlace, "since" | "takesFocus" | "onStop"> {
  chat: ChatStore;
  runId: string;
  pending: readonly PendingRequest[];
  /** The one that holds. */
  plan: PlanView | undefined;
  /** On the clock of the page, ms. */
  answeredAt: { readonly current: number };
  onAnswer(request: PendingRequest, given: GivenAnswer): Promise<void>;
}

function Cards({ chat, runId, pending, plan, answeredAt, onAnswer, ...shared }: CardsProps) {
  const [chosen, choose] = useState<string | null>(null);
  const at = Math.max(
    0,
    pending.findIndex(({ requestId }) => requestId === chosen),
  );
  const isArriving = useArriving(pending[at]?.requestId, answeredAt);
  return pending.map((request, index) => {
    const place = {
      ...shared,
      isOpen: index === at,
      isArriving,
      number: index + 1,
      count: pending.length,
      next: pending[index + 1],
      onStep: (by: -1 | 1) => choose(pending[at + by]?.requestId ?? chosen),
    };
    const answer = (given: GivenAnswer) => onAnswer(request, given);
    if (request.type === "input_request" && request.reason === "login")
      return (
        <SignInQuestion key={request.requestId} request={request} {...place} chat={chat} onAnswer={answer} />
      );
    if (request.type === "step_request")
      return (
        <StepQuestion key={request.requestId} runId={runId} request={request} {...place} onAnswer={answer} />
      );
    if (request.type === "approval_request" && request.reason === "plan")
      return <PlanQuestion key={request.requestId} request={request} {...place} onAnswer={answer} />;
    return request.type === "input_request" ? (
      <InputQuestion key={request.requestId} request={request} {...place} onAnswer={answer} />
    ) : (
      <ConsentQuestion
        key={request.requestId}
        runId={runId}
        request={request}
        plan={plan}
        {...place}
        onAnswer={answer}
      />
    );
  });
}

function InputQuestion(props: InputCardProps) {
  const Card = useLatePart(inputCard, true);
  return Card && <Card {...props} />;
}

function SignInQuestion(props: SignInCardProps) {
  const Card = useLatePart(signInCard, true);
  return Card && <Card {...props} />;
}

function StepQuestion(props: StepCardProps) {
  const Card = useLatePart(stepCard, true);
  return Card && <Card {...props} />;
}

function PlanQuestion(props: PlanCardProps) {
  const Card = useLatePart(planCard, true);
  return Card && <Card {...props} />;
}

function ConsentQuestion(props: WaitingCardProps) {
  const Card = useLatePart(waitingCard, true);
  return Card && <Card {...props} />;
}

/** Whether the open question has just taken the place of another one, answered here or in another tab. */
function useArriving(id: string | undefined, answeredAt: { readonly current: number }): boolean {
  const [settled, settle] = useState(() =>
    performance.now() - answeredAt.current < arrivesMs ? undefined : id,
  );
  useEffect(() => {
    const timer = setTimeout(() => settle(id), arrivesMs);
    return () => clearTimeout(timer);
  }, [id]);
  return settled !== id;
}

/** Who has answered the last question writes next, unless that would bring up a keyboard over half the screen. */
function useFocusAfterLast(isWaiting: boolean, composer: WaitingCardsProps["composer"]): void {
  useEffect(() => {
    if (!isWaiting) return;
    return () => {
      if (document.activeElement === document.body && matchMedia("(hover: hover)").matches)
        composer.current?.focus();
    };
  }, [isWaiting, composer]);
}
