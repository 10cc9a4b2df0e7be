import { useFormatter } from "use-intl";

/** When something was, as short as it can be said: the time of today, the weekday of this week, else the date. */
export function useWhen(): (at: string) => string {
  const format = useFormatter();
  return (at) => {
    const [then, now] = [new Date(at), new Date()];
    if (then.toDateString() === now.toDateString())
      return format.dateTime(then, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    if (now.getTime() - then.getTime() < 6 * 24 * 3_600_000)
      return format.dateTime(then, { weekday: "short" });
    const isThisYear = then.getFullYear() === now.getFullYear();
    return format.dateTime(then, {
      day: "numeric",
      month: "short",
      ...(!isThisYear && { year: "numeric" as const }),
    });
  };
}
