"use client";

import { useMemo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import type { RunStatus } from "@/lib/protocol/http";

export type Mark = Exclude<RunStatus, "completed" | "stopped">;

/** What rows say, made once for all of them. */
export interface RowWords {
  state: Record<Mark, string>;
  menu(title: string): string;
  /** When it was changed: the time, or with `withDay` the day if that was not today. */
  at(time: Date, withDay: boolean): string;
}

export function useRowWords(): RowWords {
  const t = useTranslations("shell");
  const format = useFormatter();
  return useMemo(
    () => ({
      state: {
        running: t("running"),
        waiting: t("waiting"),
        failed: t("failed"),
        interrupted: t("interrupted"),
      },
      menu: (title) => t("menuFor", { title }),
      at: (time, withDay) =>
        withDay && time.toDateString() !== new Date().toDateString()
          ? format.dateTime(time, { day: "numeric", month: "short" })
          : format.dateTime(time, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }),
    }),
    [t, format],
  );
}
