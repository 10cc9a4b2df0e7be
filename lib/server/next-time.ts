import { Cron } from "croner";

/** Beyond what cron has: letters that croner reads otherwise from one version to the next. */
const plain = /^[\d*,/\-a-z#]+( [\d*,/\-a-z#]+){4}$/i;

/** Why a schedule cannot have these fields; undefined where it can. `time zone` is to be right. */
export function cronProblemInWords(cron: string, timeZone: string): string | undefined {
  const fields = cron.split(" ").length;
  if (fields > 5)
    return "must have five fields (minute, hour, day of the month, month, day of the week) and no seconds: a schedule asks at most once a minute";
  if (fields < 5)
    return "must have five fields (minute, hour, day of the month, month, day of the week), as in 30 7 * * 1";
  if (!plain.test(cron)) return "takes digits, names of days and months, and * , - / # L W; write it so";
  try {
    return nextTimes({ cron, timeZone }, Date.now(), 1).length === 0
      ? "names a day that never comes; name one that does"
      : undefined;
  } catch {
    return "cannot be read; each field is a number, a range (1-5), a list (1,15), a step (*/10), or *";
  }
}

/** Whether this machine knows the zone. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The times after this one, epoch ms; fewer than `count` where no more come. */
export const nextTimes = (
  { cron, timeZone }: { cron: string; timeZone: string },
  after: number,
  count: number,
): number[] =>
  new Cron(cron, { mode: "5-part", timezone: timeZone, paused: true })
    .nextRuns(count, new Date(after))
    .map((date) => date.getTime());
