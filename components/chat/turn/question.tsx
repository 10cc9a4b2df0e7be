"use client";

import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { FilePart } from "@/components/chat/parts/file-part";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { withBlocks } from "@/components/ui/redacted";
import type { QuestionView, TurnView } from "@/lib/client/run/messages-to-turns";
import { findPasted } from "@/lib/client/text/pasted-text";
import { EditField } from "./edit-field";
import { PastedText } from "./pasted-text";
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
        words={{ label: t("edit"), save: t("askAgain"), note: t("keepsBoth") }}
        onCancel={() => setEditing(false)}
        onSave={(text) => {
          setEditing(false);
          if (text !== question.text) actions.edit(turn, text);
        }}
      />
    );
  return (
    <div className="group relative mb-3" data-role="question" data-message={question.id}>
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
      <SaidText text={text} acts={acts} />
      {files.length > 0 && (
        <ul className="mt-2 flex max-w-160 flex-wrap gap-2" aria-label={t("files")}>
          {files.map((file, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a message never changes, and may attach a file twice
            <li key={at} className="min-w-0">
              <FilePart file={file} alt={file.name ?? t("image")} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** What was pasted is a row under the words about it. */
function SaidText({ text, acts }: Pick<SaidProps, "text" | "acts">) {
  const found = useMemo(() => findPasted(text), [text]);
  if (!found) return text !== "" && <Words text={text} acts={acts} />;
  const { before, pasted, after } = found;
  return (
    <div
      {...(before === "" && after === "" && { "data-question": "" })}
      className={cn(
        before === "" && acts > 0 && "pr-10 phone:pr-0",
        after === "" && acts > 0 && "phone:pb-8",
      )}
    >
      {before !== "" && <Words text={before} acts={0} />}
      <PastedText text={pasted} />
      {after !== "" && (
        <div className="mt-2">
          <Words text={after} acts={acts} />
        </div>
      )}
    </div>
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
        {withBlocks(text)}
      </p>
      {isLong && (
        <TextButton aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? t("showLess") : lines > openLines ? t("showAllLines", { count: lines }) : t("showAll")}
        </TextButton>
      )}
    </>
  );
}
