import type { ResultReason, ToolResult } from "@/lib/protocol/message";

type Status = ToolResult["status"];

/**
 * The sentences that stood for a `reason` before there was one, as they were then; frozen with the migration that reads
 * them. One that names a server (`<server>`) is ours only where that is the server of the call.
 */
const sentences: Record<Exclude<Status, "ok">, [ResultReason, RegExp][]> = {
  error: [
    ["cut_short", /^Not run: (the server stopped|something went wrong on our side) before it was sent\.$/],
    ["not_run", /^Not run: at most \d+ calls of one turn run\. Ask for the others in the next turn\.$/],
    ["not_run", /^Not run: the arguments do not fit the schema of \S+\.\n- /],
    ["not_run", /^Not run: the arguments of this turn are larger than \d+ characters\. Write less at a time/],
    ["not_run", /^Not run: the arguments are nested deeper than \d+ levels\. Write them flatter\.$/],
    ["not_run", /^Not run: the arguments must be one JSON object\. .*\nGot: /],
    ["not_run", /^Not run: the budget of this run is used up\. Answer now with what you have\.$/],
    ["not_run", /^Not run: the person ended the run\.$/],
    ["not_run", /^Not run: (the time of the run was over|the run was stopped|it failed on our side)\.$/],
    ["not_run", /^Not run: this agent may not use \S+\.$/],
    [
      "not_run",
      /^Not run: the server takes one call at a time, and \d+ wait already\. Call it again later\.$/,
    ],
    ["not_run", /^Not run: stopped before it was sent\.$/],
    ["not_run", /^Not run: its definition changed after it was judged; ask again\.$/],
    ["not_run", /^Not run: (?<server>\S+) is not connected\.$/],
    ["not_run", /^Not run: (?<server>\S+) cannot be reached\.$/],
    ["not_run", /^Not run: (?<server>\S+) no longer knows the session\. It is being connected again\.$/],
    [
      "not_run",
      /^Not run: (?<server>\S+) wants more rights for this( \(.*\))?\. Sign in again in the settings/,
    ],
    ["not_run", /^Not run: (?<server>\S+) (could not be started|did not come back)\. /],
    [
      "not_run",
      /^Not run: (?<server>\S+) sleeps and cannot be started now: as many local servers are in use/,
    ],
    ["not_run", /^There is no tool \S+(: no tools are (connected|available now)| for this agent)\.$/],
    ["not_run", /^There is no tool \S+\. (No tool is ready\.$|Available tools: |The tools are: )/],
    ["not_run", /^There is no tool \S+\. The nearest of \d+ tools: /],
    ["unfinished", /^(?<server>\S+) did not answer within [\d.]+ s and was told to stop\.$/],
    ["unfinished", /^(?<server>\S+) was still at work after [\d.]+ s and was told to stop\.$/],
    [
      "unfinished",
      /^Not run to its end\. The (person declined what the server asked for|model has written nothing)/,
    ],
  ],
  unknown: [
    [
      "cut_short",
      /^Sent, then (the server stopped|something went wrong on our side) before an answer came\.$/,
    ],
    ["cancelled", /^Stopped while the call was on its way; the server was told\.$/],
    ["unfinished", /^(?<server>\S+) did not answer within [\d.]+ s and was told to stop\.$/],
    ["unfinished", /^(?<server>\S+) was still at work after [\d.]+ s and was told to stop\.$/],
    ["unfinished", /^(?<server>\S+) ended (by \S+|with exit code \d+) while the call was on its way\.$/],
    ["unfinished", /^The connection to (?<server>\S+) broke while the call was on its way( \(.*\))?\.$/s],
  ],
  denied: [
    ["left_open", /^Not run: the person went on without it\.$/],
    ["declined", /^The user (declined|skipped) this call\.$/],
    ["not_run", /^The rule \S+ forbids this tool\.$/],
    ["not_run", /^\S+ is not connected now\.$/],
    ["not_run", /^Its definition is not the one that the user accepted, and they keep it blocked\.$/],
  ],
};

/** What the text of an old result stood for; undefined for the words of a tool, its server or a person. */
export function oldReason(
  { status, content }: ToolResult,
  serverOfCall: string | undefined,
): ResultReason | undefined {
  const [part, ...others] = content;
  if (status === "ok" || part?.type !== "text" || others.length > 0) return undefined;
  for (const [reason, sentence] of sentences[status]) {
    const found = sentence.exec(part.text);
    const named = found?.groups?.server;
    if (found && (named === undefined || serverOfCall === undefined || named === serverOfCall)) return reason;
  }
  return undefined;
}
