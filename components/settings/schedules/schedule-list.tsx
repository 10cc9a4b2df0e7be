"use client";

import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Switch } from "@/components/ui/controls/switch";
import { NearLink } from "@/components/ui/near-link";
import { Ring } from "@/components/ui/ring";
import { scheduleActions } from "@/lib/client/settings/schedules";
import type { Schedule } from "@/lib/protocol/schedules";
import { useScheduleWords } from "./use-schedule-words";

export interface ScheduleListProps {
  schedules: readonly Schedule[];
  open: string | null;
  onOpen(id: string): void;
}

/** Each with its next time and what became of the last one. */
export function ScheduleList({ schedules, open, onOpen }: ScheduleListProps) {
  const t = useTranslations("settings.schedules");
  if (schedules.length === 0)
    return <p className="max-w-120 py-3 text-mach text-pretty text-ink-3">{t("none")}</p>;
  return (
    <ul aria-label={t("title")} className="text-mach">
      {schedules.map((schedule) => (
        <ScheduleRow
          key={schedule.id}
          schedule={schedule}
          isOpen={schedule.id === open}
          onOpen={() => onOpen(schedule.id)}
        />
      ))}
    </ul>
  );
}

interface ScheduleRowProps {
  schedule: Schedule;
  isOpen: boolean;
  onOpen(): void;
}

function ScheduleRow({ schedule, isOpen, onOpen }: ScheduleRowProps) {
  const t = useTranslations("settings.schedules");
  const words = useScheduleWords();
  const act = useAct();
  const { id, name, cron, timeZone, enabled, nextRunAt, lastRun, note } = schedule;
  const isWaiting = lastRun?.status === "waiting";
  const next = nextRunAt === null ? t("off") : t("next", { when: words.moment(nextRunAt, timeZone) });
  return (
    <li className={cn("flex items-start gap-3 px-2 rule-b", isOpen && "bg-paper-2")}>
      <span className="flex h-5 w-5 flex-none items-center justify-center self-start pt-6">
        <Ring state={stateOf(schedule)} size={14} />
      </span>
      <button
        type="button"
        aria-current={isOpen ? "true" : undefined}
        className="min-h-15 min-w-0 flex-1 py-3 text-left"
        onClick={onOpen}
      >
        <b className={cn("block truncate text-[14px]", enabled ? "font-semibold" : "font-normal text-ink-3")}>
          {name}
        </b>
        <small className="block text-micro text-ink-3">{t("line", { when: words.when(cron), next })}</small>
        {!isWaiting && <small className="block text-micro text-ink-3">{words.last(schedule)}</small>}
        {note && <small className="block text-micro text-ink-3">{words.note(schedule)}</small>}
        {isWaiting && (
          <small className="block text-micro font-semibold text-shu">{words.last(schedule)}</small>
        )}
      </button>
      <span className="flex flex-none flex-col items-end gap-1 py-3">
        <Switch
          label={t("on", { name })}
          checked={enabled}
          onChange={(isOn) => void act(() => scheduleActions.change(id, { enabled: isOn }))}
        />
        {isWaiting && (
          <NearLink href={`/c/${encodeURIComponent(lastRun.conversationId)}`} className="text-micro">
            {t("answer")}
          </NearLink>
        )}
      </span>
    </li>
  );
}

function stateOf({ enabled, lastRun }: Schedule) {
  if (lastRun?.status === "waiting") return "wait";
  if (lastRun?.status === "running") return "run";
  if (!enabled) return "off";
  return lastRun?.status === "failed" ? "failed" : "done";
}
