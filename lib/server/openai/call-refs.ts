/*
 * Ids by which programs know what Meguri has given them hold the run that they are of. No table is needed that keeps them: any
 * instance finds the run, and only for its own person.
 */

/** A call that was handed to a program. */
export interface CallRef {
  /** The run that has asked for it. */
  runId: string;
  /** Among all calls of its last turn. */
  index: number;
}

export const toCallId = ({ runId, index }: CallRef): string => `call_${shorten(runId)}_${index}`;

/** Undefined for an id that is none of ours. */
export function readCallId(id: string): CallRef | undefined {
  const [, run, index] = /^call_([\w-]{22})_(\d{1,4})$/.exec(id) ?? [];
  return run === undefined ? undefined : { runId: lengthen(run), index: Number(index) };
}

/** The words of an answer as an item of OpenAI's responses; `runId`: its first run. */
export const toMessageId = (runId: string): string => `msg_${shorten(runId)}`;

export function readMessageId(id: string): string | undefined {
  const [, run] = /^msg_([\w-]{22})$/.exec(id) ?? [];
  return run === undefined ? undefined : lengthen(run);
}

const shorten = (uuid: string): string => Buffer.from(uuid.replaceAll("-", ""), "hex").toString("base64url");

const lengthen = (short: string): string =>
  Buffer.from(short, "base64url")
    .toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
