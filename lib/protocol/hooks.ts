/** What a hook can be told of. */
export const hookEvents = ["run.completed", "run.failed", "run.waiting"] as const;
export type HookEvent = (typeof hookEvents)[number];

/** What is sent: an event, or on demand a test, which is about no run. */
export type DeliveryEvent = HookEvent | "hook.test";

/** Waits between the attempts of a delivery, ms: there is one attempt more. */
export const hookWaitsMs: readonly number[] = [1, 10, 60, 300, 1_800, 7_200, 28_800].map(
  (seconds) => seconds * 1_000,
);
export const mostAttempts = hookWaitsMs.length + 1;

/** Hooks of a person. */
export const maxHooks = 10;
/** Characters. */
export const maxHookUrl = 2_000;

/** Why it was switched off by Meguri: its address said that it is gone (410), or a delivery has failed for good and none has arrived since. */
export type HookOffReason = "gone" | "failing";

/** `GET /api/hooks`: one's own. */
export interface HookItem {
  id: string;
  url: string;
  events: HookEvent[];
  enabled: boolean;
  /** Null where it is on, or a person has switched it off. */
  off: { reason: HookOffReason; at: string } | null;
  /** The last characters of its secret, to know it by. */
  secretEnd: string;
  createdAt: string;
  /** Deliveries that were made in the last 24 hours; those that wait count as neither. */
  lastDay: { arrived: number; failed: number; waiting: number };
}

/** The answer of `POST /api/hooks`; the secret is shown this once. */
export interface NewHook extends HookItem {
  secret: string;
}

export type DeliveryState = "waiting" | "arrived" | "failed";

/**
 * Why an attempt has failed, where no status says it. `refused`: Meguri does not call this address; `redirect`: the answer names
 * another one, which is not followed. Without an attempt: `off`, the hook was switched off before; `full`: too many waited for it.
 */
export type DeliveryError = "refused" | "unreachable" | "timeout" | "redirect" | "off" | "full";

/** `GET /api/hooks/:id/deliveries`. */
export interface HookDelivery {
  /** The `webhook-id` of each attempt. */
  id: string;
  event: DeliveryEvent;
  /** Null for a test. */
  runId: string | null;
  state: DeliveryState;
  createdAt: string;
  attempts: number;
  /** Of the next attempt; null when none comes. */
  nextAt: string | null;
  /** Of the last attempt; null before the first one has ended. */
  last: {
    at: string;
    /** Null where no answer came. */
    status: number | null;
    error: DeliveryError | null;
    /** Its first 200 characters where it was no success; why Meguri does not call the address, or the code of what failed. */
    text: string;
    tookMs: number;
  } | null;
}
