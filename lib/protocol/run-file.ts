import type { FileMessage, FileRun } from "./conversation-file";

/** Written into each file of a run, and the newest that is read. A change that an older reader would misread makes it one higher. */
export const runFileVersion = 1;

/**
 * The first line of a run as a file; each other one is an event of its log, `{seq, at, data}`. How the run ended and what it
 * took is a fold of these. `docs/run-file.md` describes it for people.
 */
export interface RunFileHeader {
  meguri: "run";
  version: number;
  /** The Meguri that has written it. */
  app: string;
  conversation: { id: string; title: string };
  run: Omit<FileRun, "status" | "endedAt" | "iterations" | "result" | "events">;
  /** The messages that it began with, from the first one to `run.parentId`; `run.messageId` is its question. */
  history: FileMessage[];
  /** How many lines follow: a file that was cut between two lines has fewer. */
  events: number;
}
