/** What common crons mean; undefined for all others, which are shown as they are. Days are those of `Date`, 0 for Sunday. */
export type CronWords =
  | { kind: "daily" | "workdays"; hour: number; minute: number }
  | { kind: "weekly"; day: number; hour: number; minute: number }
  | { kind: "monthly"; date: number; hour: number; minute: number };

const number = /^\d{1,2}$/;

export function cronWords(cron: string): CronWords | undefined {
  const [minute = "", hour = "", date = "", month = "", day = ""] = cron.trim().split(/\s+/);
  if (!number.test(minute) || !number.test(hour) || month !== "*") return undefined;
  const at = { hour: Number(hour), minute: Number(minute) };
  if (at.hour > 23 || at.minute > 59) return undefined;
  if (date === "*" && day === "*") return { kind: "daily", ...at };
  if (date === "*" && day === "1-5") return { kind: "workdays", ...at };
  if (date === "*" && /^[0-7]$/.test(day)) return { kind: "weekly", day: Number(day) % 7, ...at };
  if (day === "*" && number.test(date)) return { kind: "monthly", date: Number(date), ...at };
  return undefined;
}
