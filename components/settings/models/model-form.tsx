"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { changeTraits } from "@/lib/client/settings/settings";
import type { ModelItem, ModelTraits } from "@/lib/protocol/http";

/** What a person knows better than the name of a model tells: how it calls tools, and whether it sees images. */
export default function ModelForm({ model, onClose }: { model: ModelItem; onClose(): void }) {
  const t = useTranslations("settings.models.form");
  const common = useTranslations("common");
  const act = useAct();
  const form = useId();
  const [traits, setTraits] = useState<ModelTraits>(model.traits ?? {});
  const save = async () => {
    const isEmpty = traits.toolCalls === undefined && traits.images === undefined;
    if (await act(() => changeTraits(model.id, isEmpty ? null : traits))) onClose();
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
      <form
        id={form}
        className="grid gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <Choice
          legend={t("toolCalls")}
          hint={t("toolCallsHint")}
          options={[
            { label: t("found"), chosen: traits.toolCalls === undefined, value: {} },
            { label: t("own"), chosen: traits.toolCalls === "own", value: { toolCalls: "own" } },
            { label: t("json"), chosen: traits.toolCalls === "json", value: { toolCalls: "json" } },
          ]}
          onChoose={(value) =>
            setTraits(({ images }) => ({ ...(images !== undefined && { images }), ...value }))
          }
        />
        <Choice
          legend={t("images")}
          hint={t("imagesHint")}
          options={[
            { label: t("found"), chosen: traits.images === undefined, value: {} },
            { label: t("sees"), chosen: traits.images === true, value: { images: true } },
            { label: t("blind"), chosen: traits.images === false, value: { images: false } },
          ]}
          onChoose={(value) => setTraits(({ toolCalls }) => ({ ...(toolCalls && { toolCalls }), ...value }))}
        />
      </form>
    </Dialog>
  );
}

interface ChoiceProps {
  legend: string;
  hint: string;
  options: { label: string; chosen: boolean; value: ModelTraits }[];
  onChoose(value: ModelTraits): void;
}

function Choice({ legend, hint, options, onChoose }: ChoiceProps) {
  const name = useId();
  return (
    <fieldset>
      <legend className="text-mach font-semibold">{legend}</legend>
      <p className="text-micro text-ink-3">{hint}</p>
      <div className="mt-1 flex flex-wrap gap-x-5">
        {options.map(({ label, chosen, value }) => (
          <label key={label} className="flex min-h-8 items-center gap-2 text-mach">
            <input type="radio" name={name} checked={chosen} onChange={() => onChoose(value)} />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
