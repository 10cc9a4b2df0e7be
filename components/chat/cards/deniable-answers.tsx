"use client";

import { type ReactNode, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { isEnter } from "@/components/chat/parts/is-send-key";
import { OfProgram } from "@/components/chat/parts/of-program";
import { Button } from "@/components/ui/controls/button";
import { denyLook } from "./answer-buttons";
import { CardActs, CardBar } from "./card-bar";

export interface DeniableProps extends Pick<DenyRowProps, "busy" | "hint"> {
  hasMenu?: boolean;
  onAnswer(decision: "deny", reason?: string): Promise<void>;
  /** Where something else takes the reason, too. */
  reason?: string;
  setReason?(reason: string): void;
  children: ReactNode;
}

/** Answers side by side, and under them a no with its reason. */
export function DeniableAnswers({ hasMenu = false, children, ...props }: DeniableProps) {
  const own = useState("");
  const { busy, hint, onAnswer, reason = own[0], setReason = own[1] } = props;
  return (
    <CardBar>
      <CardActs hasMenu={hasMenu}>{children}</CardActs>
      <DenyRow {...{ busy, hint, reason, setReason, onAnswer }} />
    </CardBar>
  );
}

interface DenyRowProps {
  busy: boolean;
  /** In place of the usual one. */
  hint?: string | undefined;
  onAnswer(decision: "deny", reason?: string): Promise<void>;
  reason: string;
  setReason(reason: string): void;
}

function DenyRow({ reason, setReason, busy, hint, onAnswer }: DenyRowProps) {
  const t = useTranslations("chat.card");
  const isOfProgram = useContext(OfProgram);
  return (
    <div className="mt-2 flex gap-2">
      <input
        data-reason
        className="field w-full bg-paper"
        aria-label={t(isOfProgram ? "reasonOfProgram" : "reason")}
        placeholder={hint ?? t(isOfProgram ? "reasonHintOfProgram" : "reasonHint")}
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
      <Button
        keys="D"
        className={denyLook}
        disabled={busy}
        onClick={() => void onAnswer("deny", reason.trim())}
      >
        {t("deny")}
      </Button>
    </div>
  );
}
