/** How a program knows a call that was handed to it: which run has asked for it, and which of the calls of its last turn it is. */
export interface CallRef {
  runId: string;
  /** Among all calls of that turn. */
  index: number;
}

const pattern = /^call_([\w-]{22})_(\d{1,4})$/;

/** No table is needed that keeps them: any instance finds the run by its id, and only for its own person. */
export const toCallId = ({ runId, index }: CallRef): string =>
  `call_${Buffer.from(runId.replaceAll("-", ""), "hex").toString("base64url")}_${index}`;

/** Undefined for an id that is none of ours. */
export function readCallId(id: string): CallRef | undefined {
  const [, run, index] = pattern.exec(id) ?? [];
  if (run === undefined) return undefined;
  const hex = Buffer.from(run, "base64url").toString("hex");
  const runId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { runId, index: Number(index) };
}
