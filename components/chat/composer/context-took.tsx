import { useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import type { KnownLedger } from "@/lib/client/conversation/ledger";
import type { Ledger } from "@/lib/protocol/ledger";
import { ContextPart } from "./context-part";

/** What the newest summary has replaced, and the way back. */
export function ContextTook({ ledger, change }: { ledger: Ledger; change: KnownLedger["change"] }) {
  const t = useTranslations("chat.context");
  const format = useFormatter();
  const [isOpen, setOpen] = useState(false);
  const summary = ledger.parts.find(({ replaces, state }) => replaces?.length && state !== "dropped");
  if (!summary) return null;
  const taken = ledger.parts.filter(({ isReplaced }) => isReplaced);
  // Not what is sent again, or pinned.
  const gone = taken.filter(({ state }) => state === "dropped");
  const full = gone.reduce((sum, part) => sum + part.full, 0);
  return (
    <section className="mt-2 mb-3 border-t border-ink pt-2">
      <p>
        <b className="font-semibold">
          {t("took", { full: format.number(full), tokens: format.number(summary.tokens) })}
        </b>{" "}
        {t("tookRest", { count: gone.filter(({ kind }) => kind === "message").length })}
      </p>
      <p className="flex gap-3">
        <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t("tookWhat")}
        </TextButton>
        <TextButton onClick={() => change({ [summary.id]: "dropped" })}>{t("sendAll")}</TextButton>
      </p>
      {isOpen && (
        <ul>
          {taken.map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one id can stand for several parts
            <ContextPart key={`${part.id}-${at}`} part={part} scale={ledger.scale} change={change} />
          ))}
        </ul>
      )}
    </section>
  );
}
