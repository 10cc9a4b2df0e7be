"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Section } from "@/components/settings/section";
import { ShownOnce } from "@/components/settings/shown-once";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { refreshTriggers, triggerActions, useTriggers } from "@/lib/client/settings/schedules";
import type { Trigger } from "@/lib/protocol/schedules";
import { TriggerDialog } from "./trigger-dialog";
import { useScheduleWords } from "./use-schedule-words";

/** What other programs begin by an address. */
export function TriggerSection() {
  const t = useTranslations("settings.schedules.triggers");
  const words = useScheduleWords();
  const add = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => add.current?.focus());
  const { data, error } = useTriggers();
  /** "new": the one that is being made. */
  const [open, setOpen] = useState<Trigger | "new">();
  const [made, setMade] = useState<Trigger>();
  const [removed, setRemoved] = useState<Trigger>();
  return (
    <div {...focusBack}>
      <Section
        title={t("title")}
        note={t("note")}
        action={
          <Button ref={add} small icon="plus" onClick={() => setOpen("new")}>
            {t("add")}
          </Button>
        }
      >
        {!data && <LoadState error={error} onRetry={refreshTriggers} lines={1} />}
        {data?.items.length === 0 && <p className="text-ink-3">{t("none")}</p>}
        <ul>
          {data?.items.map((trigger) => (
            <li key={trigger.id} className="flex items-start gap-4 py-2 not-first:rule-t">
              <span className="min-w-0 flex-1">
                <b className="block truncate font-semibold">{trigger.name}</b>
                <small className="block truncate text-micro text-ink-3">{trigger.text.slice(0, 200)}</small>
                <small className="block text-micro text-ink-3">{words.last(trigger)}</small>
              </span>
              <TextButton
                aria-label={t("editLabel", { name: trigger.name })}
                onClick={() => setOpen(trigger)}
              >
                {t("edit")}
              </TextButton>
              <TextButton
                aria-label={t("removeLabel", { name: trigger.name })}
                onClick={() => setRemoved(trigger)}
              >
                {t("remove")}
              </TextButton>
            </li>
          ))}
        </ul>
        {open && (
          <TriggerDialog
            trigger={open === "new" ? undefined : open}
            onClose={() => setOpen(undefined)}
            onSaved={(trigger) => {
              setOpen(undefined);
              if (trigger.url !== undefined) setMade(trigger);
            }}
          />
        )}
        {made && (
          <ShownOnce
            title={made.name}
            note={t("madeNote")}
            label={t("url")}
            copyLabel={t("copy")}
            value={made.url ?? ""}
            onClose={() => setMade(undefined)}
          />
        )}
        {removed && (
          <RemovalDialog
            title={t("removeTitle", { name: removed.name })}
            text={t("removeText")}
            action={t("remove")}
            done={t("removed", { name: removed.name })}
            remove={() => triggerActions.remove(removed.id)}
            onClose={() => setRemoved(undefined)}
          />
        )}
      </Section>
    </div>
  );
}
