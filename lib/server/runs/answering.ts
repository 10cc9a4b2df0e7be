/** The run that takes the answer, or how many questions are still open. */
export interface Given {
  runId: string | null;
  pending?: number;
}

export interface Answering {
  /** A definition is accepted at a server that everybody shares; who may not do that allows this call alone. */
  mayAccept: boolean;
  /** Whether a yes may become a rule. */
  mayAllowForGood: boolean;
  /** What the model of a program has written for a server, in place of ours. */
  written?: Record<string, unknown>;
}
