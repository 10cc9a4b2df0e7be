"use client";

import { useEffect, useId, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Ring } from "@/components/ui/ring";
import type { Decision } from "@/lib/client/chat-store";
import { showClock } from "@/lib/client/durations";
import { useServers } from "@/lib/client/servers";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ToolCall } from "@/lib/protocol/message";
import { CallArguments, useCallArguments } from "./call-arguments";
import { CardAnswers } from "./card-answers";
import { toolName } from "./tool-name";
import { useAskedWords } from "./use-asked-words";
import { useNow } from "./use-now";

export interface WaitingCardProps {
  request: PendingRequest;
  /** When it began to wait, epoch ms. */
  since: number | null;
  isFirst: boolean;
  /** Whether the card may take the focus: nobody is writing. */
  takesFocus(): boolean;
  onAnswer(decision: Decision): Promise<void>;
}

/** A question that only a person can answer, in plain words; its keys work only inside. */
export function WaitingCard({ request, since, isFirst, takesFocus, onAnswer }: WaitingCardProps) {
  const t = useTranslations("chat.card");
  const id = useId();
  const card = useRef<HTMLDivElement>(null);
  const [busy, setBusy] = useState(false);
  const words = useAskedWords(request);
  const call = request.type === "approval_request" ? request.call : null;
  const args = useCallArguments(call?.args ?? none, useSchemaOf(call));
  useFirstFocus(card, takesFocus);

  const answer = async (decision: Decision["decision"], reason?: string) => {
    const allows = decision.startsWith("approve");
    if (busy || (allows && args.isBroken)) return;
    setBusy(true);
    await onAnswer({
      decision,
      ...(allows && args.changed && { args: args.value }),
      ...(reason && { reason }),
    });
    setBusy(false);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot carry its title as a heading
    <div
      ref={card}
      className="seal"
      role="group"
      aria-labelledby={id}
      aria-busy={busy}
      tabIndex={-1}
      data-first={isFirst || undefined}
      onKeyDown={(event) => {
        const decision = decisionOf(event, request);
        if (!decision) return;
        event.preventDefault();
        void answer(decision, card.current?.querySelector<HTMLInputElement>("[data-reason]")?.value.trim());
      }}
    >
      <span className="seal-ring">
        <Ring state="wait" size={20} />
      </span>
      <h3 id={id} className="seal-title">
        <span>{words.title}</span>
        <Since since={since} />
      </h3>
      <p className="seal-what">
        {call && <Who {...toolName(call)} />} {words.what}
      </p>
      {call && <CallArguments args={args} />}
      <CardAnswers request={request} busy={busy} blocked={args.isBroken} onAnswer={answer} />
      <p className="sr-only" role="alert">
        {t("announce", { title: words.title })}
      </p>
    </div>
  );
}

const none = {};

/** What the server says of the arguments, where it is connected. */
function useSchemaOf(call: ToolCall | null): Record<string, unknown> | undefined {
  const { data } = useServers();
  const server = data?.items.find(({ name }) => name === call?.server);
  return server?.tools.find(({ qualifiedName }) => qualifiedName === call?.name)?.inputSchema;
}

function Who({ server, tool }: { server: string; tool: string }) {
  return <b className="font-semibold text-ink">{server ? `${server} · ${tool}` : tool}</b>;
}

function Since({ since }: { since: number | null }) {
  const t = useTranslations("chat.card");
  const now = useNow(since !== null, 1000);
  return (
    <small>
      <b className="font-semibold text-shu">{t("waiting")}</b>{" "}
      {since !== null && t("since", { time: showClock(Math.max(0, now - since)) })}
    </small>
  );
}

/** Letters answer only outside a field; the command key also in one, and bare Enter never. */
function decisionOf(event: React.KeyboardEvent, request: PendingRequest): Decision["decision"] | null {
  if (request.type === "input_request" || event.nativeEvent.isComposing) return null;
  const isBudget = request.type === "budget_request";
  const unknown = !isBudget && request.reason === "outcome_unknown";
  const { key, metaKey, ctrlKey, altKey, shiftKey, target } = event;
  if (key === "Enter" && (metaKey || ctrlKey)) return unknown ? null : isBudget ? "more" : "approve";
  const inField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  if (inField || metaKey || ctrlKey || altKey) return null;
  if (unknown) return null;
  if (isBudget) return shiftKey ? null : (({ f: "finish", d: "stop" } as const)[key] ?? null);
  if (key.toLowerCase() === "a" && shiftKey) return "approve_always";
  if (shiftKey) return null;
  return ({ r: "approve_run", d: "deny" } as const)[key] ?? null;
}

/** Goes to the question once, and only from where nobody is writing. */
function useFirstFocus(card: React.RefObject<HTMLDivElement | null>, takesFocus: () => boolean): void {
  const allowed = useRef(takesFocus);
  useEffect(() => {
    const { activeElement } = document;
    const idle = activeElement === document.body || activeElement?.matches(".box textarea, .stop");
    if (idle && allowed.current()) card.current?.focus({ preventScroll: true });
  }, [card]);
}
