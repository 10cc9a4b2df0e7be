import type { RunRow } from "./types";

/**
 * What people do to runs that another process drives. A command is open until it is settled; its row is deleted when its outcome
 * has been collected, or a minute after it was given. Times are those of the database. The bus tells the process of a run of
 * `asked` commands, and the one that has asked when one is `answered`.
 */
export interface Commands {
  /**
   * For whoever drives the run, or has a call of it under way and is there, this process apart. Nothing is stored for
   * `nobody`, when no other process does (any more), and for `full`, when as many are open as may be: 20 of a run, 200 of an owner. `invalid` for a body above 2 MB.
   */
  give(command: NewCommand): Promise<"given" | "nobody" | "full">;
  /** Open ones of runs that this process drives, or has driven last, oldest first, at most 20, without those in `except`. */
  due(except: readonly string[]): Promise<CommandRow[]>;
  /** Open ones of these runs, without their bodies. */
  open(runIds: readonly string[]): Promise<Pick<NewCommand, "id" | "runId" | "kind">[]>;
  /** Keeps what came of it, JSON; nothing happens when it is settled already or gone. */
  settle(id: string, outcome: string): Promise<void>;
  /** The outcomes of those that are settled, by id. Nobody is given them again. */
  collect(ids: readonly string[]): Promise<Map<string, string>>;
  /** Deletes one that nobody waits for any more. */
  withdraw(id: string): Promise<void>;
  /** Deletes those that were given more than a minute ago. */
  sweep(): Promise<void>;
}

export interface NewCommand {
  id: string;
  runId: string;
  kind: string;
  /** JSON. */
  body: string;
}

export interface CommandRow extends Omit<NewCommand, "runId"> {
  /** Of a deleted conversation too. */
  run: RunRow;
}
