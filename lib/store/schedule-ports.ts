import type { StartedBy } from "@/lib/protocol/http";
import type { Errand, ScheduleNote, Timing } from "@/lib/protocol/schedules";

/** A schedule, or a trigger: that has a token, and no timing. */
export interface ScheduleRow {
  id: string;
  userId: string;
  tokenHash: string | null;
  errand: Errand;
  timing: Timing | null;
  /** Null for one that is off, and for a trigger. */
  nextAt: number | null;
  lastRunId: string | null;
  note: ScheduleNote | null;
  createdAt: number;
}

/** What must still hold of a schedule when a run begins by it, and what is kept of it then. */
export interface ScheduleStart {
  id: string;
  note: ScheduleNote | null;
  /** By the clock: the time that it must still be waiting for, and the next one. */
  due?: { at: number; nextAt: number | null };
  /** By hand: the run that must still be its last one. */
  after?: string | null;
  /** By a call: how it is known again, for so long; `duplicate` where it was here already. */
  key?: { hash: string; at: number; keptMs: number };
}

/** What asks without a person; `kind` tells schedules from triggers. */
export interface Schedules {
  /** False, and nothing is added, when this person has so many of its kind already. */
  add(row: ScheduleRow, most: number): Promise<boolean>;
  /** Oldest first; without what cannot be read. */
  list(userId: string, kind: StartedBy["kind"]): Promise<ScheduleRow[]>;
  get(userId: string, kind: StartedBy["kind"], id: string): Promise<ScheduleRow | undefined>;
  byToken(tokenHash: string): Promise<ScheduleRow | undefined>;
  /** Undefined, and nothing is changed, where there is none. */
  update(
    userId: string,
    kind: StartedBy["kind"],
    id: string,
    change: (before: ScheduleRow) => Pick<ScheduleRow, "errand" | "timing" | "nextAt" | "note">,
  ): Promise<ScheduleRow | undefined>;
  delete(userId: string, kind: StartedBy["kind"], id: string): Promise<boolean>;
  /** Of everybody but these people, those whose time has come, due first; at most `limit`. */
  due(until: number, limit: number, butOf: readonly string[]): Promise<Pick<ScheduleRow, "id" | "userId">[]>;
  /** When the next one is due; undefined where none is. */
  soonest(): Promise<number | undefined>;
  /** Leaves a time out; false, and nothing is changed, where somebody else has seen to it. */
  passOver(id: string, due: NonNullable<ScheduleStart["due"]>, note: ScheduleNote | null): Promise<boolean>;
  /** The run that a trigger began for a call with this key. */
  runOfKey(id: string, keyHash: string, since: number): Promise<string | undefined>;
  /** Runs that it has begun since. */
  countBegun(id: string, since: number): Promise<number>;
}
