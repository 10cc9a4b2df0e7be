"use client";

import { useId } from "react";
import { useTranslations } from "use-intl";
import { PickAgent, PickModel } from "@/components/settings/pick-answerer";
import { PickOne } from "@/components/settings/pick-one";
import { PickServers } from "@/components/settings/pick-servers";
import type { FieldErrors } from "@/components/settings/use-field-errors";
import { Choice } from "@/components/ui/controls/choice";
import { Field, TextArea } from "@/components/ui/controls/field";
import { useAssistants } from "@/lib/client/conversation/assistants";
import { useProjects } from "@/lib/client/conversation/projects";
import { scheduleLimits } from "@/lib/protocol/schedules";
import type { ErrandDraft, formFields } from "./schedule-draft";

export interface ErrandFieldsProps {
  draft: ErrandDraft;
  errors: FieldErrors<(typeof formFields)[number]>;
  onChange(patch: Partial<ErrandDraft>): void;
}

/** What it is called, and what is asked. */
export function ErrandWords({ draft, errors, onChange, hint }: ErrandFieldsProps & { hint?: string }) {
  const t = useTranslations("settings.schedules");
  return (
    <>
      <Field
        label={t("name")}
        error={errors.name}
        autoComplete="off"
        maxLength={scheduleLimits.name}
        value={draft.name}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <TextArea
        label={t("text")}
        hint={hint}
        error={errors.text}
        rows={4}
        maxLength={scheduleLimits.text}
        value={draft.text}
        onChange={({ target }) => onChange({ text: target.value })}
      />
    </>
  );
}

/** Who answers, with which servers, where it is kept, and what it may cost. */
export function ErrandFields({ draft, errors, onChange }: ErrandFieldsProps) {
  const t = useTranslations("settings.schedules");
  const assistants = useAssistants().data?.items ?? [];
  const projects = useProjects().data?.items ?? [];
  return (
    <>
      <PickModel
        label={t("model")}
        none={t("noModel")}
        gone={t("gone")}
        value={draft.model}
        error={errors.model}
        onChange={(model) => onChange({ model })}
      />
      {(assistants.length > 0 || draft.assistant !== "") && (
        <PickOne
          label={t("assistant")}
          none={t("noAssistant")}
          gone={t("gone")}
          options={assistants.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.assistant}
          error={errors.assistant}
          onChange={(assistant) => onChange({ assistant })}
        />
      )}
      <PickAgent
        label={t("agent")}
        none={t("noAgent")}
        gone={t("gone")}
        value={draft.agent}
        error={errors.agent}
        onChange={(agent) => onChange({ agent })}
      />
      <PickServers
        chosen={draft.servers}
        error={errors.servers}
        onChange={(servers) => onChange({ servers })}
      />
      {(projects.length > 0 || draft.projectId !== "") && (
        <PickOne
          label={t("project")}
          none={t("noProject")}
          gone={t("gone")}
          options={projects.map(({ id, name }) => ({ value: id, label: name }))}
          value={draft.projectId}
          error={errors.projectId}
          onChange={(projectId) => onChange({ projectId })}
        />
      )}
      <BudgetFields draft={draft} error={errors.budget} onChange={onChange} />
    </>
  );
}

function BudgetFields({
  draft,
  error,
  onChange,
}: Omit<ErrandFieldsProps, "errors"> & { error: string | undefined }) {
  const t = useTranslations("settings.schedules");
  const id = useId();
  return (
    <div className="flex flex-wrap items-start gap-x-4">
      <Field
        className="w-56"
        label={t("budget")}
        hint={t("budgetHint")}
        error={error}
        inputMode="decimal"
        autoComplete="off"
        value={draft.amount}
        onChange={({ target }) => onChange({ amount: target.value })}
      />
      <div className="pt-7">
        <span id={id} className="sr-only">
          {t("budgetIn")}
        </span>
        <Choice
          labelledBy={id}
          options={[
            { value: "tokens", label: t("tokens") },
            { value: "cost", label: t("dollars") },
          ]}
          value={draft.limit}
          onChange={(limit) => onChange({ limit })}
        />
      </div>
    </div>
  );
}
