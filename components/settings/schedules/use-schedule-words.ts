import { useFormatter, useTranslations } from "use-intl";
import type { Schedule, Trigger } from "@/lib/protocol/schedules";
import { cronWords } from "./cron-words";

/** How times, and what became of them, are said. */
export function useScheduleWords() {
  const t = useTranslations("settings.schedules");
  const format = useFormatter();
  const moment = (at: string, timeZone?: string) =>
    format.dateTime(new Date(at), {
      ...{ dateStyle: "medium", timeStyle: "short" },
      ...(timeZone !== undefined && { timeZone }),
    });
  return {
    moment,
    /** Of a cron. */
    when(cron: string): string {
      const words = cronWords(cron);
      if (!words) return cron;
      const clock = new Date(Date.UTC(2000, 0, 2, words.hour, words.minute));
      const time = format.dateTime(clock, { timeStyle: "short", timeZone: "UTC" });
      switch (words.kind) {
        case "daily":
        case "workdays":
          return t(`when.${words.kind}`, { time });
        case "weekly": {
          // The second of January 2000 was a Sunday.
          const sunday = new Date(Date.UTC(2000, 0, 2 + words.day));
          return t("when.weekly", {
            time,
            day: format.dateTime(sunday, { weekday: "long", timeZone: "UTC" }),
          });
        }
        case "monthly":
          return t("when.monthly", { time, date: words.date });
      }
    },
    /** Of the last run. */
    last: ({ lastRun }: Pick<Trigger, "lastRun">): string =>
      lastRun ? t(`last.${lastRun.status}`, { when: moment(lastRun.startedAt) }) : t("last.none"),
    /** Of a time that was not as meant. */
    note: ({ note }: Pick<Schedule, "note">): string =>
      note ? t(`note.${note.code}`, { when: moment(note.at) }) : "",
  };
}
