"use client";

import { type FormEvent, useId, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { FormRow, NumberRow } from "@/components/settings/form-row";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { fieldClass } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { changeTraits } from "@/lib/client/settings/settings";
import { type Effort, efforts } from "@/lib/protocol/effort";
import type { ModelItem, ModelTraits } from "@/lib/protocol/settings";
import { fromDraft, type ModelNumber, modelNumbers, toDraft } from "./model-draft";

/** What a person knows better than the name of a model tells: how much it reads, how it calls tools, whether it sees images. */
export default function ModelForm({ model, onClose }: { model: ModelItem; onClose(): void }) {
  const t = useTranslations("settings.models.form");
  const common = useTranslations("common");
  const format = useFormatter();
  const act = useAct();
  const form = useId();
  const { traits: known = {}, contextWindow } = model;
  const [traits, setTraits] = useState<Pick<ModelTraits, "toolCalls" | "images" | "effort">>(known);
  const [draft, setDraft] = useState(() => toDraft(known));
  const [wrong, setWrong] = useState<ModelNumber | null>(null);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const read = fromDraft(draft);
    if ("wrong" in read) return setWrong(read.wrong);
    const { toolCalls = null, images = null, effort = null } = traits;
    if (await act(() => changeTraits(model.id, { ...read.numbers, toolCalls, images, effort }))) onClose();
  };
  const hints: Record<ModelNumber, string> = {
    contextWindow: contextWindow === null ? t("contextWindowUnknown") : t("contextWindowHint"),
    maxOutputTokens: t("maxOutputTokensHint"),
    temperature: t("temperatureHint"),
  };
  const placeholders: Partial<Record<ModelNumber, string>> = {
    ...(known.contextWindow === undefined &&
      contextWindow !== null && { contextWindow: format.number(contextWindow) }),
  };
  return (
    <Dialog
      title={model.name}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form}>
            {t("save")}
          </Button>
        </>
      }
    >
      <form id={form} className="rule-y" noValidate onSubmit={(event) => void save(event)}>
        {modelNumbers.map(({ name, min, max, whole }) => (
          <NumberRow
            key={name}
            label={t(name)}
            hint={hints[name]}
            error={
              wrong === name
                ? t(whole ? "whole" : "number", { min: format.number(min), max: format.number(max) })
                : undefined
            }
            placeholder={placeholders[name]}
            value={draft[name]}
            onChange={({ target }) => setDraft((before) => ({ ...before, [name]: target.value }))}
          />
        ))}
        {model.efforts?.length !== 0 && (
          <EffortRow
            known={model.efforts ?? efforts}
            value={traits.effort}
            onChange={(effort) =>
              setTraits(({ effort: _, ...rest }) => ({ ...rest, ...(effort && { effort }) }))
            }
          />
        )}
        <TraitRow
          label={t("toolCalls")}
          hint={t("toolCallsHint")}
          words={{ found: t("found"), own: t("own"), json: t("json") }}
          value={traits.toolCalls ?? "found"}
          onChange={(toolCalls) =>
            setTraits(({ toolCalls: _, ...rest }) => ({
              ...rest,
              ...(toolCalls !== "found" && { toolCalls }),
            }))
          }
        />
        <TraitRow
          label={t("images")}
          hint={t("imagesHint")}
          words={{ found: t("found"), sees: t("sees"), blind: t("blind") }}
          value={traits.images === undefined ? "found" : traits.images ? "sees" : "blind"}
          onChange={(images) =>
            setTraits(({ images: _, ...rest }) => ({
              ...rest,
              ...(images !== "found" && { images: images === "sees" }),
            }))
          }
        />
      </form>
    </Dialog>
  );
}

interface EffortRowProps {
  /** What can be chosen. */
  known: readonly Effort[];
  value: Effort | undefined;
  onChange(effort: Effort | undefined): void;
}

function EffortRow({ known, value, onChange }: EffortRowProps) {
  const t = useTranslations("settings.models.form");
  const words = useTranslations("common.effort");
  const offered = value && !known.includes(value) ? [...known, value] : known;
  return (
    <FormRow label={t("effort")} hint={t("effortHint")}>
      {({ id, described }) => (
        <select
          id={id}
          className={fieldClass({ width: "auto" })}
          {...described}
          value={value ?? ""}
          onChange={({ target }) => onChange(offered.find((each) => each === target.value))}
        >
          <option value="">{t("unset")}</option>
          {offered.map((each) => (
            <option key={each} value={each}>
              {words(each)}
            </option>
          ))}
        </select>
      )}
    </FormRow>
  );
}

interface TraitRowProps<Value extends string> {
  label: string;
  hint: string;
  words: Record<Value, string>;
  value: Value;
  onChange(value: Value): void;
}

function TraitRow<Value extends string>({ label, hint, words, value, onChange }: TraitRowProps<Value>) {
  const options = Object.entries<string>(words).map(([each, word]) => ({
    value: each as Value,
    label: word,
  }));
  return (
    <FormRow label={label} hint={hint} isGroup>
      {({ labelId }) => <Choice labelledBy={labelId} options={options} value={value} onChange={onChange} />}
    </FormRow>
  );
}
