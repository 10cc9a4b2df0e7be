"use client";

import { useId, useState } from "react";
import { useTranslations } from "use-intl";
import { DraftForm } from "@/components/settings/draft-form";
import type { RemovalDialogProps } from "@/components/settings/removal-dialog";
import { useAct } from "@/components/settings/use-act";
import { useFieldErrors } from "@/components/settings/use-field-errors";
import { Button } from "@/components/ui/controls/button";
import { Choice } from "@/components/ui/controls/choice";
import { Field } from "@/components/ui/controls/field";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { notify } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { scheduleActions } from "@/lib/client/settings/schedules";
import type { Schedule } from "@/lib/protocol/schedules";
import { ErrandFields, ErrandWords } from "./errand-fields";
import { LastRuns } from "./last-runs";
import {
  budgetOf,
  emptyDraft,
  formFields,
  isSameDraft,
  keepDraft,
  readDraft,
  type ScheduleDraft,
  settleDraft,
  toDraft,
  toErrand,
  usedBy,
} from "./schedule-draft";
import { useNextTimes } from "./use-next-times";
import { useScheduleWords } from "./use-schedule-words";

const removalDialog = latePart<RemovalDialogProps>(() => import("@/components/settings/removal-dialog"));

export interface ScheduleFormProps {
  /** Undefined while it is being made. */
  schedule: Schedule | undefined;
  onOpen(id: string): void;
  onClose(): void;
}

/** What is not saved stays as a draft while other schedules are looked at. */
export function ScheduleForm({ schedule, onOpen, onClose }: ScheduleFormProps) {
  const t = useTranslations("settings.schedules");
  const id = schedule?.id ?? "new";
  const [fresh] = useState(emptyDraft);
  const saved = schedule ? toDraft(schedule) : fresh;
  /** Null: as it is saved. */
  const [unsaved, setUnsaved] = useState(() => readDraft(id) ?? null);
  const draft = unsaved ?? saved;
  const { errors, setErrors, attempt } = useFieldErrors(formFields);
  const act = useAct();
  const [deleting, setDeleting] = useState(false);
  const RemovalDialog = useLatePart(removalDialog, deleting);
  const isChanged = !isSameDraft(draft, saved);
  const change = (patch: Partial<ScheduleDraft>) => {
    const next = { ...draft, ...patch };
    setUnsaved(next);
    keepDraft(id, isSameDraft(next, saved) ? null : next);
    setErrors({});
  };
  const save = async () => {
    if (!isChanged && schedule) return;
    if (draft.name.trim() === "") return setErrors({ name: t("needName") });
    if (draft.text.trim() === "") return setErrors({ text: t("needText") });
    const budget = budgetOf(draft, schedule?.budget);
    if (!budget) return setErrors({ budget: t("needBudget") });
    const { cron, timeZone, missed } = draft;
    const timing = { cron, timeZone, missed };
    const errand = toErrand(draft, budget);
    const kept = await attempt(() =>
      schedule
        ? scheduleActions.change(schedule.id, { ...errand, ...usedBy(draft), ...timing })
        : scheduleActions.add({ ...errand, ...timing }),
    );
    if (!kept) return;
    if (!settleDraft(id, kept.id, unsaved)) setUnsaved(null);
    notify(t("saved", { name: kept.name }));
    if (!schedule) onOpen(kept.id);
  };
  const run = async (of: Schedule) => {
    if (await act(() => scheduleActions.run(of.id))) notify(t("asked"));
  };
  const drop = () => {
    keepDraft(id, null);
    onClose();
  };
  return (
    <DraftForm
      title={schedule?.name ?? t("new")}
      back={t("back")}
      note={schedule && isChanged ? t("draft") : ""}
      onBack={onClose}
      onSave={save}
    >
      <ErrandWords draft={draft} errors={errors} onChange={change} />
      <Times draft={draft} errors={errors} saved={schedule} onChange={change} />
      <ErrandFields draft={draft} errors={errors} onChange={change} />
      <div className="flex flex-wrap items-center gap-2">
        <Button tone="ink" type="submit" keys="Mod+S" disabled={!isChanged}>
          {t("save")}
        </Button>
        {schedule && (
          <Button disabled={isChanged} onClick={() => void run(schedule)}>
            {t("run")}
          </Button>
        )}
        <Button tone="quiet" className="ml-auto" onClick={schedule ? () => setDeleting(true) : drop}>
          {t(schedule ? "delete" : "discard")}
        </Button>
      </div>
      {schedule && <LastRuns schedule={schedule} />}
      {RemovalDialog && schedule && deleting && (
        <RemovalDialog
          title={t("deleteTitle", { name: schedule.name })}
          text={t("deleteText")}
          action={t("delete")}
          done={t("deleted", { name: schedule.name })}
          remove={() => scheduleActions.remove(schedule.id)}
          onClose={() => setDeleting(false)}
          onRemoved={drop}
        />
      )}
    </DraftForm>
  );
}

interface PartProps {
  draft: ScheduleDraft;
  errors: ReturnType<typeof useFieldErrors<(typeof formFields)[number]>>["errors"];
  onChange(patch: Partial<ScheduleDraft>): void;
}

function Times({ draft, errors, saved, onChange }: PartProps & { saved: Schedule | undefined }) {
  const t = useTranslations("settings.schedules");
  const words = useScheduleWords();
  const id = useId();
  const said = words.when(draft.cron);
  const errorText = useErrorText();
  const next = useNextTimes(draft, saved);
  const inZone = (at: string) => words.moment(at, draft.timeZone);
  // The server names its field, people know the one of the form.
  const inForm = (problem: unknown) =>
    errorText(problem).replace(/^(cron|timeZone)(?=[:：])/, (field) => t(field as "cron" | "timeZone"));
  return (
    <>
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <Field
          className="w-48"
          label={t("cron")}
          hint={said === draft.cron ? t("cronHint") : said}
          error={errors.cron}
          mono
          autoComplete="off"
          value={draft.cron}
          onChange={({ target }) => onChange({ cron: target.value })}
        />
        <Field
          className="min-w-48 flex-1"
          label={t("timeZone")}
          error={errors.timeZone}
          list={`${id}-zones`}
          autoComplete="off"
          value={draft.timeZone}
          onChange={({ target }) => onChange({ timeZone: target.value })}
        />
        <datalist id={`${id}-zones`}>
          {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <p className="min-h-4 text-micro text-ink-3" aria-live="polite">
        {next && "times" in next && t("nextTimes", { times: next.times.map(inZone).join(" · ") })}
        {next && "problem" in next && !errors.cron && !errors.timeZone && inForm(next.problem)}
      </p>
      <div>
        <span id={id} className="mb-1 block text-mach text-ink-2">
          {t("missed")}
        </span>
        <Choice
          labelledBy={id}
          options={[
            { value: "once", label: t("once") },
            { value: "skip", label: t("skip") },
          ]}
          value={draft.missed}
          onChange={(missed) => onChange({ missed })}
        />
      </div>
    </>
  );
}
