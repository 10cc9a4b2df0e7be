"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { api } from "@/lib/client/http/http";
import type { ComparedRun } from "@/lib/protocol/run-comparison";

/** Shows this answer in its conversation, where it can be answered or gone on from. */
export function GoOn({ run }: { run: Pick<ComparedRun, "conversationId" | "messageId" | "status"> }) {
  const t = useTranslations("run.compare");
  const go = useGo();
  const errorText = useErrorText();
  const [error, setError] = useState<string>();
  const choose = async () => {
    const path = `/c/${encodeURIComponent(run.conversationId)}`;
    try {
      await api(`/api/conversations/${encodeURIComponent(run.conversationId)}`, {
        method: "PATCH",
        body: { leafId: run.messageId },
      });
      go(path);
    } catch (cause) {
      setError(errorText(cause));
    }
  };
  return (
    <>
      <Button onClick={() => void choose()}>{t(run.status === "waiting" ? "answer" : "goOn")}</Button>
      {error && (
        <p role="alert" className="pt-1 text-mach text-shu">
          {error}
        </p>
      )}
    </>
  );
}
