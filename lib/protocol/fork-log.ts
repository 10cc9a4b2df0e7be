import type { StepChunk } from "./chunk";
import { type ForkEdit, givenResult, type RoundOutcome, resultOf } from "./fork";
import type { ForkStep } from "./fork-step";
import { openToolCalls } from "./history";
import type { ToolCallId } from "./ids";
import { Transcript } from "./transcript";

/** The step at which the run of a workflow is forked. */
export interface LogPlace {
  kind: ForkStep["kind"];
  /** Path of its agent. */
  agent: string;
  /** As many events of the log are before it. */
  end: number;
  /** Agents that run at the same time and do not wait for this one: all that they did stays. */
  isBeside(path: string): boolean;
}

export interface ForkedLog {
  chunks: StepChunk[];
  /** Of the call whose arguments were edited: the id under which it runs. */
  as?: ToolCallId;
  /** Calls that have no result, and that nobody has sent as far as the log says. */
  open: ToolCallId[];
}

/**
 * The log with which the fork of a workflow begins: whole turns, results and ends of agents up to a step, with one edit. What
 * they cost, when they were and what people were asked is left with the origin. Rounds are taken as a whole, as by `forkAnswer`.
 */
export function forkLog(
  log: readonly StepChunk[],
  place: LogPlace,
  { edit, outcome, newId }: { edit?: ForkEdit | undefined; outcome: RoundOutcome; newId: () => ToolCallId },
): ForkedLog {
  const { kind, agent: path, end, isBeside } = place;
  const kept = log.filter(({ agent = "" }, at) => at < end || isBeside(agent));
  let chunks = wholeTurns(kept);
  const anew = edit && "args" in edit ? edit.callId : undefined;
  const given = edit && "result" in edit ? givenResult(edit) : undefined;
  if (edit && "text" in edit) chunks = withText(chunks, { kind, agent: path }, edit.text);
  chunks = chunks.flatMap((chunk) => {
    if (chunk.type !== "tool_result" || chunk.agent !== path) return chunk;
    if (chunk.result.id === anew) return [];
    if (chunk.result.id !== given?.id) return chunk;
    const { endsTurn } = chunk.result;
    return { ...chunk, result: { ...given, ...(endsTurn && { endsTurn }) } };
  });
  const names = new Map<ToolCallId, ToolCallId>();
  if (anew !== undefined) names.set(anew, newId());
  const open: ToolCallId[] = [];
  for (const [agent, { delta }] of foldAgents(chunks))
    for (const { id } of openToolCalls(delta)) {
      if (id === anew) continue;
      const result = given?.id === id ? given : resultOf(id, outcome);
      if (result) chunks.push({ type: "tool_result", result, durationMs: 0, agent });
      else {
        names.set(id, newId());
        open.push(id);
      }
    }
  const as = anew && names.get(anew);
  return { chunks: chunks.map((chunk) => renamed(chunk, names)), open, ...(as && { as }) };
}

/** What the agents of a workflow have said, by their paths. */
export function foldAgents(log: Iterable<StepChunk>): Map<string, Transcript> {
  const agents = new Map<string, Transcript>();
  for (const chunk of log) {
    if (chunk.agent === undefined) continue;
    const known = agents.get(chunk.agent);
    const transcript = known ?? new Transcript([], [], chunk.agent, "drop");
    if (!known) agents.set(chunk.agent, transcript);
    transcript.add(chunk);
  }
  return agents;
}

/** Characters of a piece of text into which those of a turn are put together. */
const maxPiece = 32_768;

/** Of each agent the turns that have ended, at no cost, with results and ends; what is inside of a call is its result. */
function wholeTurns(log: readonly StepChunk[]): StepChunk[] {
  const out: StepChunk[] = [];
  const turns = new Map<string, StepChunk[]>();
  for (const { at: _, ...chunk } of log) {
    const { agent } = chunk;
    if (agent === undefined || agent.includes("#")) continue;
    const turn = turns.get(agent) ?? [];
    switch (chunk.type) {
      case "iteration":
        turns.set(agent, [{ ...chunk, copied: true }]);
        break;
      case "text":
      case "reasoning":
      case "tool_call":
      case "message":
        turns.set(agent, turn);
        if (!extend(turn, chunk)) turn.push(chunk);
        break;
      case "usage":
        if (!chunk.stopReason) break;
        turns.delete(agent);
        out.push(...turn, endOfTurn(chunk.stopReason, agent));
        break;
      case "tool_result":
      case "agent":
        out.push(chunk);
        break;
      case "request":
      case "tool_input":
      case "tool_start":
      case "tool_progress":
      case "tool_state":
      case "approval_request":
      case "input_request":
      case "budget_request":
      case "step_request":
      case "answer":
      case "notice":
        break;
    }
  }
  return out;
}

type Usage = Extract<StepChunk, { type: "usage" }>;

const endOfTurn = (
  stopReason: NonNullable<Usage["stopReason"]>,
  agent: string,
): Usage & { agent: string } => ({
  ...{ type: "usage", stopReason, inputTokens: 0, outputTokens: 0 },
  agent,
});

/** Puts a piece to the one before; false where it is a part of its own. */
function extend(turn: StepChunk[], piece: StepChunk): boolean {
  const last = turn.at(-1);
  if (piece.type !== "text" && piece.type !== "reasoning") return false;
  if (last?.type !== piece.type || last.signature !== undefined) return false;
  if ("format" in piece || "format" in last) return false;
  if (last.content.length + piece.content.length > maxPiece) return false;
  const { signature } = piece;
  turn[turn.length - 1] = { ...last, content: last.content + piece.content, ...(signature && { signature }) };
  return true;
}

/** In place of the last turn of an agent, or of the one that asks for its last round, with its calls and their results. */
function withText(
  log: readonly StepChunk[],
  { kind, agent: path }: Pick<LogPlace, "kind" | "agent">,
  content: string,
): StepChunk[] {
  const last = (type: StepChunk["type"], before = log.length) =>
    log.findLastIndex((chunk, at) => at < before && chunk.type === type && chunk.agent === path);
  const asked = last("tool_call");
  // A turn that said nothing may stand behind the round.
  const from = kind === "turn" ? last("iteration") : last("iteration", asked);
  // What is in a summary already cannot be taken back: words follow it.
  const isSummed = kind === "round" && asked < last("message");
  const kept = log.filter(
    ({ type, agent }, at) => isSummed || at <= from || agent !== path || type === "message",
  );
  return [...kept, { type: "text", content, by: "person", agent: path }, endOfTurn("end_turn", path)];
}

function renamed(chunk: StepChunk, names: ReadonlyMap<ToolCallId, ToolCallId>): StepChunk {
  const name = chunk.type === "tool_call" && names.get(chunk.call.id);
  return name && chunk.type === "tool_call" ? { ...chunk, call: { ...chunk.call, id: name } } : chunk;
}
