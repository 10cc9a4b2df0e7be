"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { Choice } from "@/components/ui/controls/choice";
import { fieldClass, TextArea } from "@/components/ui/controls/field";
import { useModels } from "@/lib/client/conversation/models";
import { api } from "@/lib/client/http/http";
import { type Effort, efforts } from "@/lib/protocol/effort";
import type { RunItem } from "@/lib/protocol/http";
import { type TapeMisses, tapeMisses } from "@/lib/protocol/tape";
import { AgainForm } from "./again-form";

interface Draft {
  model: string;
  effort: Effort | "";
  tape: TapeMisses;
  text: string;
  instructions: string;
}

/** Asks the question of an ended answer once more on its recording, and opens both beside each other. */
export function RerunForm({ run, onClose }: { run: RunItem; onClose(): void }) {
  const t = useTranslations("run.rerun");
  const [draft, setDraft] = useState<Draft>({
    ...{ model: run.model, effort: "", tape: "ask", text: "", instructions: "" },
  });
  const change = (part: Partial<Draft>) => setDraft((before) => ({ ...before, ...part }));
  const start = async () => {
    const { runId } = await api<{ runId: string }>(`/api/runs/${encodeURIComponent(run.id)}/rerun`, {
      method: "POST",
      body: bodyOf(draft, run),
    });
    return `/runs/compare?ids=${encodeURIComponent(run.id)},${encodeURIComponent(runId)}`;
  };
  return (
    <AgainForm title={t("open")} action={t("go")} start={start} onClose={onClose}>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <ModelSelect value={draft.model} onChange={(model) => change({ model })} />
        <EffortSelect value={draft.effort} onChange={(effort) => change({ effort })} />
      </div>
      <div>
        <p className="mb-1 text-mach text-ink-2">{t("misses")}</p>
        <Choice
          label={t("misses")}
          options={tapeMisses.map((value) => ({ value, label: t(`miss.${value}`) }))}
          value={draft.tape}
          onChange={(tape) => change({ tape })}
        />
        <p className="meta">{t(`missHint.${draft.tape}`)}</p>
      </div>
      <TextArea
        {...{ label: t("text"), rows: 2, value: draft.text, placeholder: run.question ?? "" }}
        maxLength={400_000}
        onChange={({ target }) => change({ text: target.value })}
      />
      <TextArea
        {...{ label: t("instructions"), rows: 2, value: draft.instructions }}
        placeholder={t("asBefore")}
        onChange={({ target }) => change({ instructions: target.value })}
      />
    </AgainForm>
  );
}

const bodyOf = ({ model, effort, tape, text, instructions }: Draft, run: RunItem) => ({
  tape,
  ...(model !== run.model && { model }),
  ...(effort && { effort }),
  ...(text.trim() !== "" && { text }),
  ...(instructions.trim() !== "" && { instructions }),
});

function ModelSelect({ value, onChange }: { value: string; onChange(model: string): void }) {
  const t = useTranslations("run.rerun");
  const { data } = useModels();
  const items = data?.items ?? [];
  const isKnown = items.some(({ id }) => id === value);
  return (
    <label className="flex flex-col gap-1 text-mach text-ink-2">
      {t("model")}
      <select
        className={fieldClass({ width: "auto" })}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        {!isKnown && <option value={value}>{value}</option>}
        {items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function EffortSelect({ value, onChange }: { value: Effort | ""; onChange(effort: Effort | ""): void }) {
  const t = useTranslations("run.rerun");
  const words = useTranslations("common.effort");
  return (
    <label className="flex flex-col gap-1 text-mach text-ink-2">
      {t("effort")}
      <select
        className={fieldClass({ width: "auto" })}
        value={value}
        onChange={({ target }) => onChange(efforts.find((each) => each === target.value) ?? "")}
      >
        <option value="">{t("asBefore")}</option>
        {efforts.map((each) => (
          <option key={each} value={each}>
            {words(each)}
          </option>
        ))}
      </select>
    </label>
  );
}
