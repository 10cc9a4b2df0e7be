"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { parsed } from "@/lib/client/run/read-json";
import { shortChange } from "@/lib/client/text/short-change";
import type { TextDraft } from "./use-fork-draft";

/** A result or the model's words as a field: only what was changed has an outline, and what it was beside it. */
export function TextEdit({ label, draft, isWords }: { label: string; draft: TextDraft; isWords: boolean }) {
  const t = useTranslations("chat.fork");
  const id = useId();
  const isChanged = draft.now !== draft.was;
  const wasJson = !isWords && parsed(draft.was) !== undefined;
  const { was } = shortChange(draft.was, draft.now);
  return (
    <>
      <textarea
        aria-label={label}
        aria-describedby={id}
        className={cn(
          "field-sizing-content block max-h-[40dvh] min-h-8 w-full resize-none rounded-control border px-2 py-1 wrap-anywhere focus-visible:border-ink focus-visible:outline-1 focus-visible:outline-offset-0",
          isChanged ? "border-rule-2 bg-raised" : "border-transparent bg-paper-2",
          isWords ? "text-text" : "font-mono text-code",
        )}
        spellCheck={isWords}
        value={draft.now}
        onChange={({ target }) => draft.set(target.value)}
      />
      <p id={id} className="min-h-5 pt-1 text-micro text-ink-3">
        {isChanged && was !== "" && t("was", { text: was })}
        {isChanged && wasJson && parsed(draft.now) === undefined && (
          <span className="text-shu"> {t("noJson")}</span>
        )}
      </p>
    </>
  );
}
