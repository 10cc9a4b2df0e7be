import type { SentFile } from "./keep-files";

/** A call as a program sends it back. */
export interface SentCall {
  /** By which its result names it. */
  id: string;
  name: string;
  /** JSON, unless a model wrote something else. */
  arguments: string;
}

/** A message of a program, whichever wire it has come by; `param` is where it stands in the request. */
export type SentMessage = { param: string } & (
  | { role: "system"; text: string }
  | { role: "user"; parts: ({ type: "text"; text: string } | ({ type: "file" } & SentFile))[] }
  | {
      role: "assistant";
      text: string;
      calls: SentCall[];
      /** The run whose answer it stands for, where the program names it in place of its words. */
      runId?: string;
    }
  | { role: "tool"; id: string; text: string }
);

export type SentAnswer = Extract<SentMessage, { role: "assistant" }>;
