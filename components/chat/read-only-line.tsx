"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { useErrorText } from "@/components/ui/words/use-error-text";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { forkAnswer } from "@/lib/client/conversation/fork-answer";
import { canForkAt } from "@/lib/client/run/messages-to-turns";
import { addressOf } from "./address";

export interface ReadOnlyLineProps {
  chat: ChatStore;
  state: ConversationState;
}

/**
 * In place of the message field of a conversation that came as the file of a run, or holds the calls of a program: a fork makes a
 * normal one of it.
 */
export default function ReadOnlyLine({
  chat: { conversation },
  state: { turns, isOfProgram },
}: ReadOnlyLineProps) {
  const t = useTranslations("chat.readOnly");
  const go = useGo();
  const errorText = useErrorText();
  const [isForking, setForking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const answer = turns.at(-1)?.answer;
  const loop = answer?.view.loops.findLast((each) => canForkAt(each, answer.fork));
  const fork = async () => {
    if (!loop || isForking) return;
    setForking(true);
    setError(null);
    try {
      const { conversationId } = await forkAnswer(conversation, { loop });
      go(addressOf(conversationId));
    } catch (cause) {
      setError(errorText(cause));
      setForking(false);
    }
  };
  return (
    <div role="note" className="flex flex-wrap items-center gap-x-4 gap-y-2 rule-t pt-3 text-mach text-ink-2">
      <p className="min-w-0 flex-[1_1_320px] text-pretty">
        {t(isOfProgram ? "ofProgram" : "text")}
        {error && (
          <span role="alert" className="block text-shu">
            {error}
          </span>
        )}
      </p>
      {loop && (
        <Button icon="fork" aria-busy={isForking} onClick={() => void fork()}>
          {t("fork")}
        </Button>
      )}
    </div>
  );
}
