import type { RunStatus } from "./http";
import type { Budget } from "./usage";

/** What is asked without a person: the same for schedules and triggers. */
export interface Errand {
  name: string;
  text: string;
  model?: string;
  assistant?: string;
  agent?: string;
  servers?: string[];
  projectId?: string;
  /** Of each run. */
  budget: Budget;
}

/** When it is asked by itself. */
export interface Timing {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** IANA name, in which the fields are read. */
  timeZone: string;
  /** What becomes of a time that passed while nothing could be asked: nothing, or one question, late. */
  missed: "skip" | "once";
}

/**
 * What became of the last time that was not as meant: `late`, asked once for what was missed; `missed`; `waiting` and `running`, left
 * out as the last run does; `refused`, with why.
 */
export interface ScheduleNote {
  code: "late" | "missed" | "waiting" | "running" | "refused";
  /** The time in question, epoch ms in the store and ISO 8601 in the API. */
  at: number;
  message?: string;
}

/** The newest run of the last answer. */
interface LastRun {
  id: string;
  conversationId: string;
  status: RunStatus;
  startedAt: string;
  endedAt: string | null;
}

/** What the API says of a schedule and of a trigger. */
export interface ErrandItem extends Errand {
  id: string;
  /** The first run of the last answer; its conversation may have been deleted. */
  lastRunId: string | null;
  /** Null before the first one, and where it was deleted. */
  lastRun: LastRun | null;
  note: (Omit<ScheduleNote, "at"> & { at: string }) | null;
  createdAt: string;
}

/** One of `GET /api/schedules`. */
export interface Schedule extends ErrandItem, Timing {
  enabled: boolean;
  nextRunAt: string | null;
  /** The next times, of one that is off too; at most three. */
  nextTimes: string[];
}

/** One of `GET /api/triggers`; `url` in the answer that makes it alone. */
export interface Trigger extends ErrandItem {
  url?: string;
}

/** The most that each may have; texts in UTF-16 code units. */
export const scheduleLimits = {
  /** Schedules of a person, and triggers. */
  count: 50,
  name: 80,
  text: 20_000,
} as const;
