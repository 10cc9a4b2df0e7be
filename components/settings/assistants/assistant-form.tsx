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
import { assistantActions } from "@/lib/client/conversation/assistants";
import { type Assistant, assistantLimits, iconOf } from "@/lib/protocol/assistants";
import { tokensOf } from "@/lib/protocol/count-tokens";
import { AnswersWith } from "./answers-with";
import {
  type AssistantDraft,
  type AssistantErrors,
  emptyDraft,
  formFields,
  isSameDraft,
  keepDraft,
  readDraft,
  settleDraft,
  toDraft,
  toPatch,
} from "./assistant-draft";
import { saveFile } from "./assistant-file";
import { ExampleFields } from "./example-fields";

const removalDialog = latePart<RemovalDialogProps>(() => import("@/components/settings/removal-dialog"));

export interface AssistantFormProps {
  /** Undefined while it is being made. */
  assistant: Assistant | undefined;
  onSaved(id: string): void;
  onClose(): void;
}

/** What is not saved stays as a draft while other assistants are looked at. */
export function AssistantForm({ assistant, onSaved, onClose }: AssistantFormProps) {
  const t = useTranslations("settings.assistants");
  const id = assistant?.id ?? "new";
  const saved = assistant ? toDraft(assistant) : emptyDraft;
  /** Null: as it is saved, also when another tab saves it. */
  const [unsaved, setUnsaved] = useState(() => readDraft(id) ?? null);
  const draft = unsaved ?? saved;
  const { errors, setErrors, attempt } = useFieldErrors(formFields);
  const [deleting, setDeleting] = useState(false);
  const RemovalDialog = useLatePart(removalDialog, deleting);
  const isChanged = !isSameDraft(draft, saved);
  const keep = (next: AssistantDraft | null) => {
    setUnsaved(next);
    keepDraft(id, next && isSameDraft(next, saved) ? null : next);
  };
  const change = (patch: Partial<AssistantDraft>) => {
    keep({ ...draft, ...patch });
    setErrors({});
  };
  const save = async () => {
    if (!isChanged && assistant) return;
    if (draft.name.trim() === "") return setErrors({ name: t("needName") });
    const patch = toPatch(draft);
    const kept = await attempt(() =>
      assistant ? assistantActions.change(assistant.id, patch) : assistantActions.add(patch),
    );
    if (!kept) return;
    if (!settleDraft(id, kept.id, unsaved)) setUnsaved(null);
    notify(t("saved", { name: kept.name }));
    if (!assistant) onSaved(kept.id);
  };
  const drop = () => {
    keepDraft(id, null);
    onClose();
  };
  return (
    <DraftForm
      title={assistant?.name ?? t("new")}
      back={t("back")}
      note={isChanged ? t("draft") : ""}
      onBack={onClose}
      onSave={save}
    >
      <Words draft={draft} errors={errors} onChange={change} />
      <AnswersWith draft={draft} errors={errors} onChange={change} />
      <ExampleFields
        examples={draft.examples}
        error={errors.examples}
        onChange={(examples) => change({ examples })}
      />
      <Actions assistant={assistant} isChanged={isChanged} onDelete={() => setDeleting(true)} onDrop={drop} />
      {RemovalDialog && assistant && deleting && (
        <RemovalDialog
          title={t("deleteTitle", { name: assistant.name })}
          text={t("deleteText")}
          action={t("delete")}
          done={t("deleted", { name: assistant.name })}
          remove={() => assistantActions.remove(assistant.id)}
          onClose={() => setDeleting(false)}
          onRemoved={drop}
        />
      )}
    </DraftForm>
  );
}

interface WordsProps {
  draft: AssistantDraft;
  errors: AssistantErrors;
  onChange(patch: Partial<AssistantDraft>): void;
}

/** What people and the model read of it. */
function Words({ draft, errors, onChange }: WordsProps) {
  const t = useTranslations("settings.assistants");
  return (
    <>
      <div className="flex items-start gap-3">
        <Field
          className="w-20"
          label={t("icon")}
          error={errors.icon}
          placeholder={iconOf(draft.name)}
          autoComplete="off"
          maxLength={assistantLimits.icon}
          value={draft.icon}
          onChange={({ target }) => onChange({ icon: target.value })}
        />
        <Field
          className="min-w-0 flex-1"
          label={t("name")}
          error={errors.name}
          autoComplete="off"
          maxLength={assistantLimits.name}
          value={draft.name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
      </div>
      <Field
        label={t("description")}
        error={errors.description}
        autoComplete="off"
        maxLength={assistantLimits.description}
        value={draft.description}
        onChange={({ target }) => onChange({ description: target.value })}
      />
      <TextArea
        label={t("instructions")}
        hint={t("instructionsHint", { tokens: tokensOf(draft.instructions) })}
        error={errors.instructions}
        rows={7}
        value={draft.instructions}
        onChange={({ target }) => onChange({ instructions: target.value })}
      />
    </>
  );
}

interface ActionsProps {
  assistant: Assistant | undefined;
  isChanged: boolean;
  onDelete(): void;
  onDrop(): void;
}

function Actions({ assistant, isChanged, onDelete, onDrop }: ActionsProps) {
  const t = useTranslations("settings.assistants");
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button tone="ink" type="submit" keys="Mod+S" disabled={!isChanged}>
        {t("save")}
      </Button>
      {assistant && (
        <Button icon="download" disabled={isChanged} onClick={() => saveFile(assistant)}>
          {t("export")}
        </Button>
      )}
      <span className="ml-auto">
        {assistant ? (
          <Button tone="quiet" onClick={onDelete}>
            {t("delete")}
          </Button>
        ) : (
          <Button tone="quiet" onClick={onDrop}>
            {t("discard")}
          </Button>
        )}
      </span>
    </div>
  );
}
