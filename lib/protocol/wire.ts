/** What went over the wire for a turn, where it was recorded; keys are removed. Sizes in bytes, times in ms. */
export interface WireRecord {
  /** When the request was sent, epoch ms. */
  at: number;
  /** Requests that were made for the turn; the last of them is told. */
  attempts: number;
  request: WireBody & { method: string; url: string };
  /** Null where no answer came. */
  response:
    | (WireBody & {
        status: number;
        /** From the request to the headers of the answer, and to the end of its body. */
        firstByteMs: number;
        ms: number;
        /** Whether the body came to its end; else the connection broke or was given up. */
        complete: boolean;
      })
    | null;
}

export interface WireBody {
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As it came; of answers that came compressed what they say. Its beginning, where it is `truncated`. */
  body: string;
  /** Of the whole body. */
  bytes: number;
  truncated: boolean;
}
