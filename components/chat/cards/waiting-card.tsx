"use client";

import { lazy, Suspense, useCallback, useState } from "react";
import { useTranslations } from "use-intl";
import { DataFlows } from "@/components/chat/parts/data-flows";
import { toolName } from "@/components/chat/parts/tool-name";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import type { GivenAnswer } from "@/lib/client/conversation/chat-store";
import type { PlanView } from "@/lib/client/run/plan-view";
import { serverActions } from "@/lib/client/servers/server-actions";
import { useServers } from "@/lib/client/servers/servers";
import type { Decision } from "@/lib/protocol/answer";
import type { ApprovalRequest, BudgetRequest } from "@/lib/protocol/chunk";
import { answers, questions } from "@/lib/protocol/questions";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { isPressed, pressedAnswer } from "./answer-buttons";
import { CallArguments, useCallArguments } from "./call-arguments";
import { CardAnswers } from "./card-answers";
import { bringIntoSight, CardFrame, type CardPlace, isInSight } from "./card-frame";
import { NamedFiles } from "./named-files";
import { addKeys, OutsidePlan } from "./outside-plan";
import { useAskedWords } from "./use-asked-words";
import { isOffered, useWiderAnswers } from "./wider-answers";

// Read with the first definition that differs.
const ChangedDefinition = lazy(() => import("./changed-definition"));
const JsonArguments = lazy(() => import("./json-arguments"));

export interface WaitingCardProps extends CardPlace {
  /** The run that waits. */
  runId: string;
  request: ApprovalRequest | BudgetRequest;
  /** The one that holds, which the call may be outside of. */
  plan?: PlanView | undefined;
  onAnswer(given: GivenAnswer): Promise<void>;
}

/** A question that only a person can answer, in plain words; its keys work only inside. */
export default function WaitingCard({ runId, request, plan, onAnswer, ...place }: WaitingCardProps) {
  const [isSent, setSent] = useState(false);
  const busy = isSent || place.isArriving;
  const kind = request.type === "budget_request" ? "budget" : request.reason;
  const [isSeen, setSeen] = useState(false);
  const onSeen = useCallback(() => setSeen(true), []);
  const act = useAct();
  const asked = useAskedWords(request);
  const call = request.type === "approval_request" ? request.call : null;
  const args = useCallArguments(call?.args ?? none, useSchemaOf(request));
  const words = useAskedWords(request, call ? args.value : undefined);

  const [isJson, setJson] = useState(false);
  // What cannot be read would be lost in the other form.
  const canEdit = call !== null && !args.isBroken;

  // A yes accepts a definition for good, so not before it can be read.
  const blocked = args.isBroken || (isChanged(request) && !isSeen);
  const wider = useWiderAnswers(request);
  const outside = plan && request.type === "approval_request" ? request.outside : undefined;
  const answer = async (decision: Decision, reason?: string, addToPlan?: true) => {
    const sends = answers[decision].effect === "run";
    if (busy || (sends && blocked)) return;
    setSent(true);
    await onAnswer({
      decision,
      ...(sends && args.changed && { args: args.value }),
      ...(reason && { reason }),
      ...(addToPlan && { addToPlan }),
    });
    setSent(false);
  };
  /** The answer first: a tool that is blocked is no tool any more, and nobody would read why. */
  const block = async (reason?: string) => {
    if (busy || !call?.definition) return;
    const { server, tool } = toolName(call);
    const { definition: hash } = call;
    await answer("deny", reason);
    await act(() => serverActions.blockDefinition(server, { tool, hash }));
  };
  return (
    <CardFrame
      title={words.title}
      announced={asked.title}
      asks={questions[kind].isConsent ? "consent" : "answer"}
      busy={busy}
      {...place}
      onKeyDown={(event, card) => {
        if (canEdit && isPressed(event, "E")) return setJson(!isJson);
        const adds = outside !== undefined && isPressed(event, addKeys);
        const decision = adds ? "approve" : pressedAnswer(event, kind);
        if (!decision || !isOffered(decision, wider) || (outside && decision === "approve_run")) return;
        event.preventDefault();
        if (!isInSight(card)) bringIntoSight(card);
        else if (adds && !event.repeat) void answer("approve", undefined, true);
        else if (!event.repeat)
          void answer(decision, card.querySelector<HTMLInputElement>("[data-reason]")?.value.trim());
      }}
    >
      <p className="mb-2 text-mach text-ink-2">
        {call && <Who {...toolName(call)} />} {words.what}
      </p>
      {request.type === "approval_request" && request.flows && <DataFlows flows={request.flows} />}
      {outside && <OutsidePlan outside={outside} plan={plan} />}
      {call && isChanged(request) && (
        <Suspense fallback={<p className="meta">…</p>}>
          <ChangedDefinition call={call} onSeen={onSeen} />
        </Suspense>
      )}
      {call && !isJson && <CallArguments args={args} />}
      {call && isJson && (
        <Suspense fallback={<p className="meta">…</p>}>
          <JsonArguments args={args} />
        </Suspense>
      )}
      {call && kind !== "sampling" && <NamedFiles runId={runId} args={args.value} />}
      <CardAnswers
        request={request}
        busy={busy}
        blocked={blocked}
        wider={wider}
        onAnswer={answer}
        onBlock={block}
        onAdd={outside && (() => answer("approve", undefined, true))}
        editing={<EditToggle isJson={isJson} disabled={!canEdit} onToggle={() => setJson(!isJson)} />}
      />
    </CardFrame>
  );
}

const none = {};

const isChanged = (request: WaitingCardProps["request"]) =>
  request.type === "approval_request" && request.reason === "changed_definition";

/** What the server says of the arguments, where it is connected. */
function useSchemaOf(request: WaitingCardProps["request"]): Record<string, unknown> | undefined {
  const { data } = useServers();
  if (request.type !== "approval_request" || request.reason === "sampling") return undefined;
  const { call } = request;
  const server = data?.items.find(({ name }) => name === call.server);
  return server?.tools.find(({ qualifiedName }) => qualifiedName === call.name)?.inputSchema;
}

interface EditToggleProps {
  isJson: boolean;
  disabled: boolean;
  onToggle(): void;
}

function EditToggle({ isJson, disabled, onToggle }: EditToggleProps) {
  const t = useTranslations("chat.card.json");
  return (
    <Button tone="quiet" keys="E" className="ml-auto phone:hidden" disabled={disabled} onClick={onToggle}>
      {t(isJson ? "lines" : "edit")}
    </Button>
  );
}

function Who({ server, tool }: { server: string; tool: string }) {
  return (
    <b className="font-semibold text-ink wrap-anywhere">
      {showInvisible(server ? `${server} · ${tool}` : tool)}
    </b>
  );
}
