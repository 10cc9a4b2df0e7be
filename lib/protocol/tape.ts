/** What becomes of a call that the recording has no result of: the run ends, a person is asked, or the tool is called. */
export const tapeMisses = ["strict", "ask", "live"] as const;
export type TapeMisses = (typeof tapeMisses)[number];

/** The recording that an answer takes its tool results from. */
export interface Tape {
  /** Any run of the recorded answer; all runs of that answer are the recording. */
  runId: string;
  misses: TapeMisses;
}
