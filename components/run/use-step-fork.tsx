"use client";

import { type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Forking } from "@/components/chat/fork/forking";
import { Forker, type ForkPlaceAt } from "@/components/chat/turn/fork-context";
import { TextButton } from "@/components/ui/controls/text-button";
import { useGo } from "@/components/ui/go";
import { refreshConversations } from "@/lib/client/conversation/conversations";
import { type ForkRequest, startFork } from "@/lib/client/conversation/fork-answer";
import { type AnswerView, canForkAt } from "@/lib/client/run/messages-to-turns";
import type { Step } from "@/lib/client/run/run-step";
import type { LoopItem, RunView } from "@/lib/client/run/run-view";
import type { RunItem } from "@/lib/protocol/http";
import { callOf } from "@/lib/protocol/pending-requests";

/** What the steps of a run are forked with; the fork is shown in its conversation. */
export function RunForking({ children }: { children: ReactNode }) {
  const go = useGo();
  const fork = useCallback(
    async (request: ForkRequest) => {
      const { conversationId } = await startFork(request);
      void refreshConversations();
      go(`/c/${encodeURIComponent(conversationId)}`);
    },
    [go],
  );
  return <Forking fork={fork}>{children}</Forking>;
}

/** The action of a step that can be forked at, and the panel that then takes the place of what the step was. */
export function useStepFork(
  step: Step,
  run: RunItem,
  view: RunView,
): { action: ReactNode; panel: ReactNode } {
  const t = useTranslations("run.detail");
  const forker = useContext(Forker);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<{ step: string; at: ForkPlaceAt } | null>(null);
  const place = placeOf(step, view);
  if (!forker || !place) return { action: null, panel: null };
  const at = open?.step === step.key ? open.at : null;
  const show = (next: ForkPlaceAt | null) => {
    setOpen(next && { step: step.key, at: next });
    if (!next) button.current?.focus();
  };
  const answer: AnswerView = { view, model: run.model, messageId: null, siblings: [] };
  return {
    action: (
      <TextButton ref={button} aria-expanded={at !== null} onClick={() => show(at ? null : place)}>
        {t("fork")}
      </TextButton>
    ),
    panel: at && <forker.Place answer={answer} at={at} busy={false} onChange={show} />,
  };
}

/** Null where nothing can be forked: a turn that goes on or was cut off, one without words, a question about no call. */
function placeOf(step: Step, { loops }: RunView): ForkPlaceAt | null {
  const call = step.kind === "call" ? step.item.id : step.kind === "wait" ? callOf(step.request) : null;
  const words = step.kind === "model" ? step.items.find(({ kind }) => kind === "text") : undefined;
  const isOf = (item: LoopItem) =>
    call === null ? item === words : item.kind === "tool" && item.id === call;
  const loop = loops.find(({ items }) => items.some(isOf));
  const item = loop?.items.find(isOf);
  if (!loop || !canForkAt(loop, undefined)) return null;
  if (item?.kind !== "tool") return { loop: loop.number, call: null, part: "text" };
  return { loop: loop.number, call: item.id, part: item.result && step.kind !== "wait" ? "result" : "args" };
}
