import type {
  DeliveryError,
  DeliveryEvent,
  DeliveryState,
  HookEvent,
  HookOffReason,
} from "@/lib/protocol/hooks";
import type { PageRequest } from "./types";

/** The setting of a person that holds all of their hooks. */
export const hooksKey = "hooks";

/** Of a hook, of what is over. */
export const keptDeliveries = 100;

/** A hook as it is kept. */
export interface StoredHook {
  id: string;
  events: readonly HookEvent[];
  enabled: boolean;
  off: { reason: HookOffReason; at: number } | null;
  createdAt: number;
  /** Address and secret. */
  sealed: string;
}

/** How an attempt has ended. */
export interface Attempt {
  at: number;
  /** Null where no answer came. */
  status: number | null;
  error: DeliveryError | null;
  text: string;
  tookMs: number;
}

export interface DeliveryRow {
  id: string;
  userId: string;
  hookId: string;
  event: DeliveryEvent;
  /** Both null for a test. */
  runId: string | null;
  conversationId: string | null;
  state: DeliveryState;
  createdAt: number;
  /** Those that have begun. */
  attempts: number;
  /** When the next attempt is due, or when somebody else may try where one has begun; null when it is over. */
  nextAt: number | null;
  last: Attempt | null;
}

export interface DeliveryCounts {
  arrived: number;
  failed: number;
  waiting: number;
}

/**
 * What hooks are told. Deliveries of a run are added by the transaction that stores its end, for the hooks that its person has
 * then; of one hook so many wait at most, and later ones have failed as they begin (`full`).
 */
export interface HookDeliveries {
  /** The listener is called when this process has added some. It must not throw. */
  onAdded(listener: () => void): () => void;
  /** A test; false, and nothing is added, when as many wait for this hook as may. */
  add(row: DeliveryRow): Promise<boolean>;
  /** Those whose time has come, at most `each` of a hook and `limit` together. */
  due(now: number, most: { each: number; limit: number }): Promise<DeliveryRow[]>;
  /** When the next one after this time is due; undefined when none is. */
  nextAt(after: number): Promise<number | undefined>;
  /**
   * Begins an attempt, and lets nobody else begin one before `until`. False, and nothing is changed, when somebody else was first,
   * or when it does not wait any more.
   */
  claim(row: Pick<DeliveryRow, "id" | "attempts">, until: number): Promise<boolean>;
  /** How the attempt of this number has ended; nothing is changed when another one has begun since. */
  settle(id: string, attempt: number, end: Pick<DeliveryRow, "state" | "nextAt" | "last">): Promise<void>;
  /** It is sent from the beginning; `not_found` where this hook has no such delivery. */
  again(hook: { userId: string; hookId: string }, id: string, now: number): Promise<DeliveryRow>;
  /** Nothing is left to be told: its run or its hook is gone. */
  delete(id: string): Promise<void>;
  /** Newest first, without those of deleted conversations. */
  list(
    hook: { userId: string; hookId: string },
    page: PageRequest,
  ): Promise<{ items: DeliveryRow[]; nextCursor: string | null }>;
  /** How many wait for their next attempt, or are in one, of everybody. */
  waiting(): Promise<number>;
  /** By hook, of those that were made since; without tests. */
  counts(userId: string, since: number): Promise<Map<string, DeliveryCounts>>;
  /** Whether one has arrived that was made after this time. */
  hasArrived(hookId: string, after: number): Promise<boolean>;
  /** What waits for it waits no more. */
  stop(hookId: string): Promise<void>;
  deleteOf(hookId: string): Promise<void>;
  /** Of what is over the newest so many stay. */
  prune(hookId: string, kept: number): Promise<void>;
  /** Of everybody, what is over and was made before this time. */
  deleteBefore(at: number): Promise<void>;
}
