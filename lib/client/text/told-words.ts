import type { ToldWords } from "@/lib/protocol/told-parts";

type ToldKey = Exclude<keyof ToldWords, "status"> | `status.${keyof ToldWords["status"]}`;

/** The words of a told conversation, from the catalogue `transcript`. */
export const toldWords = (say: (key: ToldKey) => string): ToldWords => ({
  question: say("question"),
  said: say("said"),
  answer: say("answer"),
  reasoning: say("reasoning"),
  summary: say("summary"),
  call: say("call"),
  arguments: say("arguments"),
  result: say("result"),
  noResult: say("noResult"),
  empty: say("empty"),
  status: { error: say("status.error"), denied: say("status.denied"), unknown: say("status.unknown") },
});
