"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import type { GivenAnswer } from "@/lib/client/conversation/chat-store";
import { useServers } from "@/lib/client/servers/servers";
import type { StepRequest } from "@/lib/protocol/chunk";
import { answers, type OfferedAnswer } from "@/lib/protocol/questions";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { AnswerButtons, pressedAnswer } from "./answer-buttons";
import { CallArguments, useCallArguments } from "./call-arguments";
import { CardActs, CardBar } from "./card-bar";
import { bringIntoSight, CardFrame, type CardPlace, isInSight } from "./card-frame";
import { NamedFiles } from "./named-files";

export interface StepCardProps extends CardPlace {
  /** The run that waits. */
  runId: string;
  request: StepRequest;
  onAnswer(given: GivenAnswer): Promise<void>;
}

/** A call that waits in step mode: it is made, with changed arguments too, or the run ends. */
export default function StepCard({ runId, request, onAnswer, ...place }: StepCardProps) {
  const t = useTranslations("chat.card.step");
  const [isSent, setSent] = useState(false);
  const busy = isSent || place.isArriving;
  const call = request.kind === "tool" ? request.payload : null;
  const args = useCallArguments(call?.args ?? none, useSchemaOf(call));
  const { server, tool } = call ? toolName(call) : { server: "", tool: "" };
  const title = call
    ? t("titleTool", { action: showInvisible(server ? `${server} · ${tool}` : tool) })
    : t("titleModel");

  const answer = async (decision: OfferedAnswer<"step">) => {
    const goesOn = answers[decision].effect === "step";
    if (busy || (goesOn && args.isBroken)) return;
    setSent(true);
    await onAnswer({ decision, ...(goesOn && args.changed && { payload: { args: args.value } }) });
    setSent(false);
  };
  return (
    <CardFrame
      title={title}
      asks="consent"
      busy={busy}
      {...place}
      onKeyDown={(event, card) => {
        const decision = pressedAnswer(event, "step") as OfferedAnswer<"step"> | undefined;
        if (!decision) return;
        event.preventDefault();
        if (!isInSight(card)) bringIntoSight(card);
        else if (!event.repeat) void answer(decision);
      }}
    >
      <p className="mb-2 text-mach text-ink-2">{t(call ? "whatTool" : "whatModel")}</p>
      {call && <CallArguments args={args} />}
      {call && <NamedFiles runId={runId} args={args.value} />}
      <CardBar ownStop>
        <CardActs>
          <AnswerButtons
            kind="step"
            labels={{ step: t("step"), run_on: t("runOn"), stop: t("stop") }}
            {...{ busy, onAnswer: answer }}
          />
        </CardActs>
      </CardBar>
    </CardFrame>
  );
}

const none = {};

/** What the server says of the arguments, where it is connected. */
function useSchemaOf(call: { name: string; server?: string } | null): Record<string, unknown> | undefined {
  const { data } = useServers();
  const server = data?.items.find(({ name }) => name === call?.server);
  return server?.tools.find(({ qualifiedName }) => qualifiedName === call?.name)?.inputSchema;
}
