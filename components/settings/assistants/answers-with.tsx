"use client";

import { useTranslations } from "use-intl";
import { PickAgent, PickModel } from "@/components/settings/pick-answerer";
import { PickOne } from "@/components/settings/pick-one";
import { PickServers } from "@/components/settings/pick-servers";
import { useModels } from "@/lib/client/conversation/models";
import { efforts } from "@/lib/protocol/effort";
import type { AssistantDraft, AssistantErrors } from "./assistant-draft";

export interface AnswersWithProps {
  draft: AssistantDraft;
  errors: AssistantErrors;
  onChange(patch: Partial<AssistantDraft>): void;
}

/** The model, the workflow agent and the servers; what is chosen and is gone stays until the person takes it out. */
export function AnswersWith({ draft, errors, onChange }: AnswersWithProps) {
  const t = useTranslations("settings.assistants");
  const words = useTranslations("common.effort");
  const models = useModels().data?.items ?? [];
  const known = models.find(({ id }) => id === draft.model)?.efforts ?? efforts;
  return (
    <>
      <PickModel
        label={t("model")}
        none={t("noModel")}
        gone={t("goneNote")}
        value={draft.model}
        error={errors.model}
        onChange={(model) => onChange({ model })}
      />
      {(known.length > 0 || draft.effort !== "") && (
        <PickOne
          label={t("effort")}
          none={t("noEffort")}
          gone={t("goneNote")}
          options={known.map((each) => ({ value: each, label: words(each) }))}
          value={draft.effort}
          error={errors.effort}
          onChange={(effort) => onChange({ effort })}
        />
      )}
      <PickAgent
        label={t("agent")}
        none={t("noAgent")}
        gone={t("goneNote")}
        value={draft.agent}
        error={errors.agent}
        onChange={(agent) => onChange({ agent })}
      />
      <PickServers
        chosen={draft.servers}
        error={errors.servers}
        onChange={(servers) => onChange({ servers })}
      />
    </>
  );
}
