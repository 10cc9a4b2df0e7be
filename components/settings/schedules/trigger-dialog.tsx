"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "@/components/settings/form-dialog";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { triggerActions } from "@/lib/client/settings/schedules";
import type { Trigger } from "@/lib/protocol/schedules";
import { ErrandFields, ErrandWords } from "./errand-fields";
import { budgetOf, emptyErrand, formFields, toErrand, toErrandDraft, usedBy } from "./schedule-draft";

export interface TriggerDialogProps {
  /** Undefined while it is being made. */
  trigger: Trigger | undefined;
  onClose(): void;
  onSaved(trigger: Trigger): void;
}

export function TriggerDialog({ trigger, onClose, onSaved }: TriggerDialogProps) {
  const t = useTranslations("settings.schedules");
  const [draft, setDraft] = useState(trigger ? toErrandDraft(trigger) : emptyErrand);
  const { errors, setErrors, attempt } = useFieldErrors(formFields);
  const change = (patch: Partial<typeof draft>) => {
    setDraft({ ...draft, ...patch });
    setErrors({});
  };
  const save = async () => {
    if (draft.name.trim() === "") return setErrors({ name: t("needName") });
    if (draft.text.trim() === "") return setErrors({ text: t("needText") });
    const budget = budgetOf(draft, trigger?.budget);
    if (!budget) return setErrors({ budget: t("needBudget") });
    const errand = toErrand(draft, budget);
    const kept = await attempt(() =>
      trigger
        ? triggerActions.change(trigger.id, { ...errand, ...usedBy(draft) })
        : triggerActions.add(errand),
    );
    if (kept) onSaved(kept);
  };
  return (
    <FormDialog
      title={t(trigger ? "triggers.change" : "triggers.add")}
      lede={t(trigger ? "triggers.changeNote" : "triggers.addNote")}
      makeLabel={t(trigger ? "save" : "triggers.make")}
      onMake={save}
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
