"use client";

import { createContext, type ReactNode, useContext, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { answerText, type RunView } from "@/lib/client/run/run-view";
import { EditField } from "./edit-field";

/** Keeps other words in place of the model's last ones; null where nobody may, as on a shared page. */
export const AnswerEditor = createContext<((messageId: string, text: string) => Promise<boolean>) | null>(
  null,
);

interface AnswerEdit {
  /** Absent where the answer has no last words that could be edited, or is being edited. */
  begin: (() => void) | undefined;
  /** The answer without the words that are in the field; absent while nothing is edited. */
  shown: RunView | undefined;
  field: ReactNode;
}

/** The model's last words as a field in their place; what is kept is another version of the answer. */
export function useAnswerEdit({ answer }: TurnView, busy: boolean): AnswerEdit {
  const keep = useContext(AnswerEditor);
  const t = useTranslations("chat.edit");
  const foot = useTranslations("chat.foot");
  const [edited, setEdited] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const messageId = answer?.messageId ?? null;
  if (!keep || !answer || messageId === null || !isEditable(answer.view))
    return { begin: undefined, shown: undefined, field: null };
  // Another version that is shown meanwhile is not the one that is edited.
  if (edited !== messageId) return { begin: () => setEdited(messageId), shown: undefined, field: null };
  const text = answerText(answer.view);
  const shown = withoutLastWords(answer.view);
  const save = async (words: string) => {
    if (words === text.trim()) return setEdited(null);
    setSaving(true);
    if (await keep(messageId, words)) setEdited(null);
    setSaving(false);
  };
  return {
    begin: undefined,
    shown,
    field: (
      // Where the loop has nothing else, the words in the field stand beside its ring.
      <div className={cn("relative", shown.loops.at(-1)?.items.length === 0 && "-mt-[29px]")}>
        <EditField
          isAnswer
          text={text}
          words={{ label: foot("edit"), save: t("save"), note: t("keeps") }}
          disabled={busy || isSaving}
          onSave={(words) => void save(words)}
          onCancel={() => setEdited(null)}
        />
      </div>
    ),
  };
}

/** It ends with words of the model itself: not with calls, not with JSON, and no workflow has written it. */
function isEditable({ status, loops, steps }: RunView): boolean {
  if (status === "running" || status === "waiting" || steps.length > 0) return false;
  const last = loops.at(-1);
  const kinds = last?.items.map(({ kind }) => kind) ?? [];
  return (
    last?.agent === undefined && kinds.includes("text") && !kinds.includes("tool") && !kinds.includes("json")
  );
}

function withoutLastWords(view: RunView): RunView {
  const last = view.loops.at(-1);
  if (!last) return view;
  const items = last.items.filter(({ kind }) => kind !== "text");
  return { ...view, loops: [...view.loops.slice(0, -1), { ...last, items }] };
}
