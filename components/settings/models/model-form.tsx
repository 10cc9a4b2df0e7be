"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { FormRow } from "@/components/settings/form-row";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { Dialog } from "@/components/ui/layers/dialog";
import { changeTraits } from "@/lib/client/settings/settings";
import type { ModelItem, ModelTraits } from "@/lib/protocol/settings";

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
        className="rule-y"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <TraitRow
          label={t("toolCalls")}
          hint={t("toolCallsHint")}
          words={{ found: t("found"), own: t("own"), json: t("json") }}
          value={traits.toolCalls ?? "found"}
          onChange={(toolCalls) =>
            setTraits(({ images }) => ({
              ...(images !== undefined && { images }),
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
            setTraits(({ toolCalls }) => ({
              ...(toolCalls && { toolCalls }),
              ...(images !== "found" && { images: images === "sees" }),
            }))
          }
        />
      </form>
    </Dialog>
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
