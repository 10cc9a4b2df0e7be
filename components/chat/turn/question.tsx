"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { FilePart } from "@/components/chat/parts/file-part";
import { isSendKey } from "@/components/chat/parts/is-send-key";
import { cn } from "@/components/ui/cn";
import { Button, IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import type { QuestionView, TurnView } from "@/lib/client/run/messages-to-turns";
import { Siblings } from "./siblings";
import type { TurnActions } from "./turn-actions";

export interface QuestionProps {
  question: QuestionView;
  turn: TurnView;
  actions: TurnActions | undefined;
  busy: boolean;
}

export function Question({ question, turn, actions, busy }: QuestionProps) {
  const t = useTranslations("chat.question");
  const [editing, setEditing] = useState(false);
  if (editing && actions)
    return (
      <EditField
        text={question.text}
        onCancel={() => setEditing(false)}
        onSave={(text) => {
          setEditing(false);
          if (text !== question.text) actions.edit(turn, text);
        }}
      />
    );
  return (
    <div className="group relative mb-3">
      <h2 className="sr-only">{t("said")}</h2>
      <Said
        text={question.text}
        files={question.files}
        acts={actions && question.id ? question.siblings.length : 0}
      />
      {turn.answer?.agent && (
        <p className="meta">
          <span className="sr-only">{t("agent")} </span>@{turn.answer.agent}
        </p>
      )}
      {actions && question.id && (
        <div className="absolute top-0 right-0 flex items-center phone:static phone:h-0 phone:translate-x-2 phone:-translate-y-3 phone:justify-end">
          <Siblings ids={question.siblings} current={question.id} busy={busy} onShow={actions.showSibling} />
          <IconButton
            icon="pencil"
            iconSize={14}
            label={t("edit")}
            tipSide="right-edge"
            className="shy"
            disabled={busy}
            onClick={() => setEditing(true)}
          />
        </div>
      )}
    </div>
  );
}

interface SaidProps extends Pick<QuestionView, "text" | "files"> {
  /** How many versions it has, 0 without buttons. */
  acts: number;
}

/** What a person said, with its files; the initial stands in the gutter. */
export function Said({ text, files, acts }: SaidProps) {
  const t = useTranslations("chat.question");
  return (
    <>
      <span
        className="absolute top-1 -left-(--gutter) grid size-5 place-items-center rounded-full border border-rule-2 bg-paper text-[10px]/none font-semibold text-ink-2"
        aria-hidden="true"
      >
        {t("initial")}
      </span>
      {text !== "" && <Words text={text} acts={acts} />}
      {files.length > 0 && (
        <ul className="mt-2 flex max-w-160 flex-wrap gap-2" aria-label={t("files")}>
          {files.map((file, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes, and may attach a file twice
            <li key={at}>
              <FilePart file={file} alt={file.name ?? t("image")} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** More is folded: lines, and characters of lines that are longer than the column. */
const openLines = 12;
const openChars = 1_000;

/**
 * What was asked; of a long one, such as a pasted log, its beginning. On phones the buttons stand at the end of its last line,
 * with a choice of versions below it.
 */
function Words({ text, acts }: Pick<SaidProps, "text" | "acts">) {
  const t = useTranslations("chat.tool");
  const [isWhole, setWhole] = useState(false);
  const lines = text.split("\n").length;
  const isLong = lines > openLines || text.length > openChars;
  return (
    <>
      <p
        data-question=""
        className={cn(
          "max-w-160 font-voice text-voice text-pretty wrap-anywhere whitespace-pre-wrap",
          acts === 1 && "phone:pr-8",
          acts > 1 && "phone:pb-8",
          isLong && !isWhole && "max-h-42 overflow-hidden noscript:max-h-none print:max-h-none",
        )}
      >
        {text}
      </p>
      {isLong && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("showLess") : lines > openLines ? t("showAllLines", { count: lines }) : t("showAll")}
        </TextButton>
      )}
    </>
  );
}

interface EditFieldProps {
  text: string;
  onSave(text: string): void;
  onCancel(): void;
}

function EditField({ text, onSave, onCancel }: EditFieldProps) {
  const t = useTranslations("chat.question");
  const common = useTranslations("common");
  const [draft, setDraft] = useState(text);
  const save = () => draft.trim() !== "" && onSave(draft.trim());
  return (
    <div className="mb-3">
      <textarea
        className="-mx-[9px] -my-[5px] field-sizing-content block w-full resize-none rounded-control border border-rule-2 bg-raised px-2 py-1 font-voice text-voice text-pretty wrap-anywhere outline-offset-0 focus-visible:border-ink focus-visible:outline-1"
        aria-label={t("edit")}
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
          if (isSendKey(event)) {
            event.preventDefault();
            save();
          }
        }}
      />
      <div className="mt-2 flex items-center gap-2">
        <Button small tone="ink" onClick={save} disabled={draft.trim() === ""}>
          {t("askAgain")}
        </Button>
        <Button small onClick={onCancel}>
          {common("cancel")}
        </Button>
        <span className="meta">{t("keepsBoth")}</span>
      </div>
    </div>
  );
}

function focusEnd(field: HTMLTextAreaElement | null): void {
  if (!field || document.activeElement === field) return;
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}
