import { useEffect, useState } from "react";
import { nextTimesOf } from "@/lib/client/settings/schedules";
import type { Schedule, Timing } from "@/lib/protocol/schedules";

/** Between the last key and the question to the server. */
const restMs = 250;

type Asked = Pick<Timing, "cron" | "timeZone">;
type NextTimes = { times: readonly string[] } | { problem: unknown };

/** When the schedule that is being written would be asked, or why it could not be; undefined while that is not known. */
export function useNextTimes({ cron, timeZone }: Asked, saved: Schedule | undefined): NextTimes | undefined {
  const isSaved = saved?.cron === cron && saved.timeZone === timeZone;
  const [found, setFound] = useState<{ asked: Asked; next: NextTimes }>();
  useEffect(() => {
    if (isSaved) return;
    const request = new AbortController();
    const asked = { cron, timeZone };
    const timer = setTimeout(async () => {
      const next = await nextTimesOf(asked, request.signal).then(
        (times) => ({ times }),
        (problem) => ({ problem }),
      );
      if (!request.signal.aborted) setFound({ asked, next });
    }, restMs);
    return () => {
      clearTimeout(timer);
      request.abort();
    };
  }, [cron, timeZone, isSaved]);
  if (isSaved) return { times: saved.nextTimes };
  return found?.asked.cron === cron && found.asked.timeZone === timeZone ? found.next : undefined;
}
