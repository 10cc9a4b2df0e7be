"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { isSendKey } from "@/components/chat/parts/is-send-key";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";

export interface EditFieldProps {
  text: string;
  words: { label: string; save: string; note: string };
  /** What the model says, in its voice; Enter begins a line, and Mod+Enter saves. */
  isAnswer?: boolean;
  disabled?: boolean;
  onSave(text: string): void;
  onCancel(): void;
}

/** A message in place, as a field: what is saved is another version of it. */
export function EditField({ text, words, isAnswer, disabled, onSave, onCancel }: EditFieldProps) {
  const common = useTranslations("common");
  const [draft, setDraft] = useState(text);
  const canSave = draft.trim() !== "" && !disabled;
  const save = () => canSave && onSave(draft.trim());
  return (
    <div className="mb-3">
      <textarea
        className={cn(
          "-mx-[9px] -my-[5px] field-sizing-content block w-[calc(100%+18px)] resize-none rounded-control border border-rule-2 bg-raised px-2 py-1 text-pretty wrap-anywhere outline-offset-0 focus-visible:border-ink focus-visible:outline-1",
          isAnswer ? "max-h-[60dvh] text-text" : "font-voice text-voice",
        )}
        aria-label={words.label}
        value={draft}
        ref={focusEnd}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return;
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            onCancel();
          }
          const isSave = isAnswer
            ? event.key === "Enter" && (event.metaKey || event.ctrlKey)
            : isSendKey(event);
          if (isSave) {
            event.preventDefault();
            save();
          }
        }}
      />
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Button small tone="ink" onClick={save} disabled={!canSave} {...(isAnswer && { keys: "Mod+Enter" })}>
          {words.save}
        </Button>
        <Button small onClick={onCancel}>
          {common("cancel")}
        </Button>
        <span className="meta">{words.note}</span>
      </div>
    </div>
  );
}

function focusEnd(field: HTMLTextAreaElement | null): void {
  if (!field || document.activeElement === field) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
