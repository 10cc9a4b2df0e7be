import { changesOf } from "@/lib/client/http/changes-of";
import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { ListedRun, Page } from "@/lib/protocol/http";
import type { Errand, Schedule, Timing, Trigger } from "@/lib/protocol/schedules";

const schedules = new LiveStore<Page<Schedule>>({
  name: "schedules",
  hint: "conversations",
  load: () => api<Page<Schedule>>("/api/schedules"),
  pace: () => 30_000,
});

const triggers = new LiveStore<Page<Trigger>>({
  name: "triggers",
  hint: "conversations",
  load: () => api<Page<Trigger>>("/api/triggers"),
  pace: () => 30_000,
});

/** All schedules of the person, oldest first. */
export const useSchedules = (): Live<Page<Schedule>> => useLive(schedules);
export const refreshSchedules = (): Promise<void> => schedules.refresh({ tell: true });

export const useTriggers = (): Live<Page<Trigger>> => useLive(triggers);
export const refreshTriggers = (): Promise<void> => triggers.refresh({ tell: true });

/** Null takes back what answers. */
export type ErrandPatch = {
  [Field in keyof Errand]?:
    | (undefined extends Errand[Field] ? Errand[Field] | null : Errand[Field])
    | undefined;
};

const onSchedules = changesOf("/api/schedules", refreshSchedules);
const onTriggers = changesOf("/api/triggers", refreshTriggers);

/** Each updates every tab and throws `ApiError`. */
export const scheduleActions = {
  add: (fields: Errand & Timing) => onSchedules<Schedule>("POST", "", fields),
  change: (id: string, patch: ErrandPatch & Partial<Timing> & { enabled?: boolean }) =>
    onSchedules<Schedule>("PATCH", `/${id}`, patch),
  remove: (id: string) => onSchedules<unknown>("DELETE", `/${id}`),
  run: (id: string) => onSchedules<{ conversationId: string }>("POST", `/${id}/run`, {}),
};

export const triggerActions = {
  add: (fields: Errand) => onTriggers<Trigger>("POST", "", fields),
  change: (id: string, patch: ErrandPatch) => onTriggers<Trigger>("PATCH", `/${id}`, patch),
  remove: (id: string) => onTriggers<unknown>("DELETE", `/${id}`),
};

/** The next times of what a schedule could have; throws `ApiError` where it could not. */
export async function nextTimesOf(
  { cron, timeZone }: Pick<Timing, "cron" | "timeZone">,
  signal: AbortSignal,
): Promise<string[]> {
  const query = new URLSearchParams({ cron, timeZone });
  return (await api<Pick<Schedule, "nextTimes">>(`/api/schedules/times?${query}`, { signal })).nextTimes;
}

/** The newest runs that a schedule has begun. */
export const lastRunsOf = (id: string): Promise<Page<ListedRun>> =>
  api<Page<ListedRun>>(`/api/runs?schedule=${encodeURIComponent(id)}&limit=5`);
