/** How much of each is measured. */
export const remote = { size: 300, tokens: 160, rounds: 3 };
export const flat = { tokens: 20_000, rounds: 3 };
export const stopped = 40;
export const dying = { runs: 20, rounds: 3 };

export interface ClusterFigures {
  /** Ms. */
  first: Record<"embedded" | "cluster", number[]>;
  chunksASecond: number[];
  /** Of each round; µs, in order. */
  lags: { sorted: Float64Array; lost: string[] }[];
  stops: number[];
  deaths: Deaths;
}

export interface Deaths {
  /** From the signal until the last of its runs has its end, ms. */
  killed: number[];
  paused: number[];
}
