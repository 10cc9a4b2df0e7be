"use client";

import { useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import type { GivenAnswer } from "@/lib/client/conversation/chat-store";
import { useModel } from "@/lib/client/conversation/models";
import { readStepPayload } from "@/lib/client/run/step-payload";
import { useServers } from "@/lib/client/servers/servers";
import type { StepEdit } from "@/lib/protocol/answer";
import type { StepRequest } from "@/lib/protocol/chunk";
import type { ModelRequest } from "@/lib/protocol/http";
import { answers, type OfferedAnswer } from "@/lib/protocol/questions";
import { showInvisible } from "@/lib/protocol/show-invisible";
import { AnswerButtons, pressedAnswer } from "./answer-buttons";
import { CallArguments, useCallArguments } from "./call-arguments";
import { CardActs, CardBar } from "./card-bar";
import { bringIntoSight, CardFrame, type CardPlace, isInSight } from "./card-frame";
import { NamedFiles } from "./named-files";
import { StepPayload } from "./step-payload";

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
  const [edit, setEdit] = useState<StepEdit>({});
  const sent = useStepPayload(runId, request);
  const model = useModel(sent?.model ?? null);
  const title = call
    ? t("titleTool", { action: showInvisible(server ? `${server} · ${tool}` : tool) })
    : sent
      ? t("titleModelOf", { model: model?.id === sent.model ? model.name : sent.model })
      : t("titleModel");

  const answer = async (decision: OfferedAnswer<"step">) => {
    const goesOn = answers[decision].effect === "step";
    if (busy || (goesOn && args.isBroken)) return;
    setSent(true);
    const payload = call ? (args.changed ? { args: args.value } : {}) : withoutEmpty(edit);
    await onAnswer({ decision, ...(goesOn && Object.keys(payload).length > 0 && { payload }) });
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
      {sent && <StepPayload sent={sent} edit={edit} onEdit={setEdit} />}
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

/** Words that were deleted again are no message. */
function withoutEmpty({ message, ...edit }: StepEdit): StepEdit {
  return message?.trim() ? { ...edit, message } : edit;
}

/** What the model would be sent; undefined while it is read, for a tool, and where it cannot be read: it can be sent all the same. */
function useStepPayload(runId: string, request: StepRequest): ModelRequest | undefined {
  const [sent, setSent] = useState<ModelRequest>();
  const { kind } = request;
  useEffect(() => {
    if (kind === "tool") return;
    let isGone = false;
    readStepPayload(runId, request).then(
      (read) => !isGone && setSent(read),
      () => {},
    );
    return () => {
      isGone = true;
    };
  }, [runId, request, kind]);
  return sent;
}

/** What the server says of the arguments, where it is connected. */
function useSchemaOf(call: { name: string; server?: string } | null): Record<string, unknown> | undefined {
  const { data } = useServers();
  const server = data?.items.find(({ name }) => name === call?.server);
  return server?.tools.find(({ qualifiedName }) => qualifiedName === call?.name)?.inputSchema;
}
