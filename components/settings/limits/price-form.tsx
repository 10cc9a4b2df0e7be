"use client";

import { type FormEvent, useId, useState } from "react";
import { useTranslations } from "use-intl";
import { NumberRow } from "@/components/settings/form-row";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";
import { changePrices } from "@/lib/client/settings/settings";
import { modelIdPattern } from "@/lib/protocol/model-id";
import type { Price, PriceItem } from "@/lib/protocol/settings";

export interface PriceFormProps {
  /** The one that is changed; without it one is added. */
  price: PriceItem | undefined;
  /** The user's own, by model. */
  own: Record<string, Price>;
  onClose(): void;
}

const amounts = ["input", "cached", "output"] as const;
type Amount = (typeof amounts)[number];

/** What one model costs; a shipped price that is changed becomes the user's own. */
export default function PriceForm({ price, own, onClose }: PriceFormProps) {
  const t = useTranslations("settings.limits.prices");
  const common = useTranslations("common");
  const act = useAct();
  const form = useId();
  const [model, setModel] = useState(price?.model ?? "");
  const [texts, setTexts] = useState<Record<Amount, string>>(() => textsOf(price));
  const [wrong, setWrong] = useState<Amount | "model" | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const read = readPrice(model, texts);
    if ("wrong" in read) return setWrong(read.wrong);
    if (await act(() => changePrices({ ...own, [model]: read.price }))) onClose();
  };
  return (
    <Dialog
      title={t("form")}
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
      <form id={form} className="grid gap-4" onSubmit={submit} noValidate>
        <Field
          label={t("model")}
          hint={t("modelHint")}
          error={wrong === "model" ? t("needModel") : undefined}
          mono
          autoComplete="off"
          readOnly={price !== undefined}
          value={model}
          onChange={(event) => setModel(event.target.value.trim())}
        />
        <div className="rule-y">
          {amounts.map((name) => (
            <NumberRow
              key={name}
              label={t(name)}
              hint={name === "cached" && t("cachedHint")}
              error={wrong === name ? t("needNumber") : undefined}
              placeholder={name === "cached" ? texts.input : undefined}
              value={texts[name]}
              onChange={(event) => setTexts((before) => ({ ...before, [name]: event.target.value }))}
            />
          ))}
        </div>
      </form>
    </Dialog>
  );
}

const textsOf = (price: PriceItem | undefined): Record<Amount, string> => ({
  input: price ? String(price.input) : "",
  cached: price?.cachedInput === undefined ? "" : String(price.cachedInput),
  output: price ? String(price.output) : "",
});

function readPrice(
  model: string,
  texts: Record<Amount, string>,
): { price: Price } | { wrong: Amount | "model" } {
  if (!modelIdPattern.test(model)) return { wrong: "model" };
  const read = (name: Amount) => (texts[name].trim() === "" ? Number.NaN : Number(texts[name]));
  const fits = (value: number) => value >= 0 && value <= 10_000;
  const [input, cachedInput, output] = [read("input"), read("cached"), read("output")];
  if (!fits(input)) return { wrong: "input" };
  if (texts.cached.trim() !== "" && !fits(cachedInput)) return { wrong: "cached" };
  if (!fits(output)) return { wrong: "output" };
  return { price: { input, ...(fits(cachedInput) && { cachedInput }), output } };
}
