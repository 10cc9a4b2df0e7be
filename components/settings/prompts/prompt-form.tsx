"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { DraftForm } from "@/components/settings/draft-form";
import type { RemovalDialogProps } from "@/components/settings/removal-dialog";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Button } from "@/components/ui/controls/button";
import { Field, TextArea } from "@/components/ui/controls/field";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { notify } from "@/components/ui/toast";
import { promptActions } from "@/lib/client/conversation/prompts";
import { type Prompt, type PromptFields, promptLimits, variablesOf } from "@/lib/protocol/prompts";
import { emptyDraft, isSameDraft, keepDraft, readDraft, settleDraft } from "./prompt-draft";

const removalDialog = latePart<RemovalDialogProps>(() => import("@/components/settings/removal-dialog"));

const formFields = ["name", "text"] as const;

export interface PromptFormProps {
  /** Undefined while it is being made. */
  prompt: Prompt | undefined;
  onOpen(id: string): void;
  onClose(): void;
}

/** What is not saved stays as a draft while other prompts are looked at. */
export function PromptForm({ prompt, onOpen, onClose }: PromptFormProps) {
  const t = useTranslations("settings.prompts");
  const id = prompt?.id ?? "new";
  const saved = prompt ?? emptyDraft;
  /** Null: as it is saved, also when another tab saves it. */
  const [unsaved, setUnsaved] = useState(() => readDraft(id) ?? null);
  const draft = unsaved ?? saved;
  const { errors, setErrors, attempt } = useFieldErrors(formFields);
  const [deleting, setDeleting] = useState(false);
  const RemovalDialog = useLatePart(removalDialog, deleting);
  const isChanged = !isSameDraft(draft, saved);
  const keep = (next: PromptFields | null) => {
    setUnsaved(next);
    keepDraft(id, next && isSameDraft(next, saved) ? null : next);
  };
  const change = (patch: Partial<PromptFields>) => {
    keep({ name: draft.name, text: draft.text, ...patch });
    setErrors({});
  };
  const save = async () => {
    if (!isChanged && prompt) return;
    const fields = { name: draft.name.trim(), text: draft.text };
    if (fields.name === "") return setErrors({ name: t("needName") });
    if (fields.text.trim() === "") return setErrors({ text: t("needText") });
    const kept = await attempt(() =>
      prompt ? promptActions.change(prompt.id, fields) : promptActions.add(fields),
    );
    if (!kept) return;
    if (!settleDraft(id, kept.id, unsaved)) setUnsaved(null);
    notify(t("saved", { name: kept.name }));
    if (!prompt) onOpen(kept.id);
  };
  const duplicate = async (of: Prompt) => {
    const name = t("copyOf", { name: of.name }).slice(0, promptLimits.name);
    const made = await attempt(() => promptActions.add({ name, text: of.text }));
    if (made) onOpen(made.id);
  };
  const drop = () => {
    keepDraft(id, null);
    onClose();
  };
  return (
    <DraftForm
      title={prompt?.name ?? t("new")}
      back={t("back")}
      note={isChanged ? t("draft") : ""}
      onBack={onClose}
      onSave={save}
    >
      <Field
        label={t("name")}
        error={errors.name}
        autoComplete="off"
        maxLength={promptLimits.name}
        value={draft.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      <TextArea
        label={t("text")}
        hint={<TextHint text={draft.text} />}
        error={errors.text}
        rows={10}
        value={draft.text}
        onChange={({ target }) => change({ text: target.value })}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="ink" type="submit" keys="Mod+S" disabled={!isChanged}>
          {t("save")}
        </Button>
        {prompt && (
          <Button disabled={isChanged} onClick={() => void duplicate(prompt)}>
            {t("duplicate")}
          </Button>
        )}
        <Button tone="quiet" className="ml-auto" onClick={prompt ? () => setDeleting(true) : drop}>
          {t(prompt ? "delete" : "discard")}
        </Button>
      </div>
      {RemovalDialog && prompt && deleting && (
        <RemovalDialog
          title={t("deleteTitle", { name: prompt.name })}
          text={t("deleteText")}
          action={t("delete")}
          done={t("deleted", { name: prompt.name })}
          remove={() => promptActions.remove(prompt.id)}
          onClose={() => setDeleting(false)}
          onRemoved={drop}
        />
      )}
    </DraftForm>
  );
}

/** What will be asked for; how to write it, as long as there is nothing. */
function TextHint({ text }: { text: string }) {
  const t = useTranslations("settings.prompts");
  const names = variablesOf(text);
  if (names.length === 0) return t("textHint", { example: "{{name}}" });
  return t("variables", { count: names.length, names: names.map((name) => `{{${name}}}`).join(" ") });
}
