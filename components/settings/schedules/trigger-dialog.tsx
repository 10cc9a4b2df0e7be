"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { triggerActions } from "@/lib/client/settings/schedules";
import type { Trigger } from "@/lib/protocol/schedules";
import { ErrandFields, ErrandWords } from "./errand-fields";
import { budgetOf, emptyErrand, formFields, toErrand } from "./schedule-draft";

export interface TriggerDialogProps {
  onClose(): void;
  onMade(trigger: Trigger): void;
}

export function TriggerDialog({ onClose, onMade }: TriggerDialogProps) {
  const t = useTranslations("settings.schedules");
  const [draft, setDraft] = useState(emptyErrand);
  const { errors, setErrors, attempt } = useFieldErrors(formFields);
  const change = (patch: Partial<typeof draft>) => {
    setDraft({ ...draft, ...patch });
    setErrors({});
  };
  const make = async () => {
    if (draft.name.trim() === "") return setErrors({ name: t("needName") });
    if (draft.text.trim() === "") return setErrors({ text: t("needText") });
    const budget = budgetOf(draft);
    if (!budget) return setErrors({ budget: t("needBudget") });
    const made = await attempt(() => triggerActions.add(toErrand(draft, budget)));
    if (made) onMade(made);
  };
  return (
    <FormDialog
      title={t("triggers.add")}
      lede={t("triggers.addNote")}
      makeLabel={t("triggers.make")}
      onMake={make}
      onClose={onClose}
    >
      <div className="grid gap-4">
        <ErrandWords
          draft={draft}
          errors={errors}
          hint={t("triggers.textHint", { example: "{{body.build.name}}" })}
          onChange={change}
        />
        <ErrandFields draft={draft} errors={errors} onChange={change} />
      </div>
    </FormDialog>
  );
}
