/** How much of each is measured. */
export const remote = { size: 300, tokens: 160, rounds: 3 };
/** All that one instance takes, read at the same. */
export const full = { size: 400, rounds: 2 };
export const flat = { tokens: 20_000, rounds: 3 };
export const stopped = 40;
export const dying = { runs: 20, rounds: 3 };

export interface ClusterFigures {
  /** Ms. */
  first: Record<"embedded" | "cluster", number[]>;
  chunksASecond: number[];
  /** Read at the other instance, of each round. */
  lags: Lags[];
  /** The same with Redis, and with one that is killed in the middle; empty on a machine without it. */
  redis: { up: Lags[]; killed: Lags[] };
  /** Read where they are written. */
  full: Lags[];
  stops: number[];
  deaths: Deaths;
}

export interface Lags {
  /** Of each token, µs, in order. */
  sorted: Float64Array;
  lost: string[];
}

export interface Deaths {
  /** From the signal until the last of its runs has its end, ms. */
  killed: number[];
  paused: number[];
}
