"use client";

import { type FormEvent, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { type LimitKey, type LimitsPatch, limitKeys, type PersonLimits } from "@/lib/protocol/person-limits";
import { fromDraft, mostOf, toDraft } from "./limits-draft";

interface LimitsEditorProps {
  /** Whose they are, for readers. */
  label: string;
  limits: PersonLimits;
  /** What holds where a field is empty. */
  behind?: PersonLimits | undefined;
  onSave(limits: LimitsPatch): Promise<unknown>;
  onClose(): void;
}

/** The limits of a person or a role, below their row. */
export function LimitsEditor({ label, limits, behind = {}, onSave, onClose }: LimitsEditorProps) {
  const t = useTranslations("settings.people.limits");
  const format = useFormatter();
  const act = useAct();
  const [begun] = useState(() => toDraft(limits));
  const [draft, setDraft] = useState(begun);
  const [wrong, setWrong] = useState<LimitKey>();
  const [isBusy, setBusy] = useState(false);
  const placeholders = toDraft(behind);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const read = fromDraft(draft, begun);
    setWrong("wrong" in read ? read.wrong : undefined);
    if ("wrong" in read) return;
    if (Object.keys(read.limits).length === 0) return onClose();
    setBusy(true);
    const isDone = await act(() => onSave(read.limits));
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <form
      noValidate
      aria-label={label}
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
      className="flex flex-wrap items-start gap-3"
    >
      {limitKeys.map((key, at) => (
        <Field
          key={key}
          className="min-w-30 flex-1"
          label={t(key)}
          inputMode="decimal"
          autoComplete="off"
          autoFocus={at === 0}
          placeholder={placeholders[key] === "" ? t("none") : placeholders[key]}
          value={draft[key]}
          onChange={(event) => setDraft((before) => ({ ...before, [key]: event.target.value }))}
          error={wrong === key ? t("wrong", { max: format.number(mostOf(key)) }) : undefined}
        />
      ))}
      <Button tone="ink" type="submit" aria-busy={isBusy} className="mt-6">
        {t("save")}
      </Button>
    </form>
  );
}
