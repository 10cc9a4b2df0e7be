/** Shapes of the JSON about what is stored. */

/** What the space is used for; `wire` is what was recorded of requests to models, `unused` is room inside the files of the database that is filled before they grow. */
export const usageKinds = [
  "conversations",
  "runs",
  "wire",
  "attachments",
  "shares",
  "other",
  "unused",
] as const;
export type UsageKind = (typeof usageKinds)[number];

/** `GET /api/data/usage`; sizes in bytes. */
export interface DataUsage {
  /** All kinds together. */
  total: number;
  kinds: Record<UsageKind, number>;
  /** What the disk still has room for; absent where it is that of a database server. */
  free?: number;
  disk: DiskState;
  /** What a retention that was asked for would delete now. */
  wouldDelete?: RetentionForecast;
}

/** Of the disk of DATA_DIR; `low` before it is full. */
export type DiskState = "ok" | "low";

export interface RetentionForecast {
  conversations: number;
  /** About what they take. */
  bytes: number;
  /** There are more; counting has ended. */
  isCut: boolean;
}

/** How long conversations stay; without a limit they stay. */
export interface Retention {
  /** Days after the last change. */
  days?: number;
  /** Bytes of everything but `unused`; the conversations changed longest ago go first. */
  bytes?: number;
}

/** `POST /api/data/delete` takes these words as `confirm`. */
export const confirmDeletion = "delete everything";
