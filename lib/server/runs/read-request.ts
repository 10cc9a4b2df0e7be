import { ChosenContext } from "@/lib/agent/chosen-context";
import { tokensOfTurn } from "@/lib/agent/estimate-tokens";
import { type Provider, ProviderError, type ToolSpec, type Turn } from "@/lib/agent/ports";
import { type ContextOptions, withContextLimit } from "@/lib/agent/with-context-limit";
import { ResultArchive } from "@/lib/agent/with-result-reader";
import type { Chunk } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import { modelContent, modelHistory } from "@/lib/protocol/history";
import type { ModelRequest } from "@/lib/protocol/http";
import type { ChatMessage } from "@/lib/protocol/message";
import { redactMessage } from "@/lib/protocol/redact";
import type { SentRequest } from "@/lib/protocol/sent-request";
import { Transcript } from "@/lib/protocol/transcript";
import type { WireRecord } from "@/lib/protocol/wire";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readTools } from "@/lib/server/loop/sent-requests";
import { readReadable } from "@/lib/server/loop/stored-run";
import { readWire } from "@/lib/server/loop/wire-form";
import type { RunRow } from "@/lib/store/types";

/**
 * What the model was sent in a turn of a run. System prompt, tools and parameters are in the log; messages are folded from
 * what stands before the run and in its log, by the code by which the loop makes them.
 */
export async function readRequest(deps: RunDeps, row: RunRow, index: string): Promise<ModelRequest> {
  if (!/^[1-9]\d{0,8}$/.test(index))
    throw new HttpError(400, "invalid_input", "index: must be the number of a turn, counted from 1.");
  const live = deps.runs.get(row.id);
  const log = live ? [...live.chunks] : (await readReadable(deps, row.id)).map(({ data }) => data);
  const turn = findTurn(log, Number(index));
  if (!turn)
    throw new HttpError(
      404,
      "not_found",
      "index: the run has no such turn; GET /api/runs/:id lists its turns.",
      {
        turns: log.filter(({ type }) => type === "iteration").length,
      },
    );
  const { request } = turn;
  const { system, tools } = await readContents(deps, row, request);
  const messages = row.agent === null ? await foldMessages(deps, row, turn, { system, tools }) : null;
  return {
    system,
    tools,
    messages,
    params: request ? paramsOf(request, row) : null,
    model: request?.model ?? row.model,
    estimatedTokens:
      messages && tokensOfTurn({ system: system ?? "", tools: tools ?? [], history: messages }),
    wire: await readRecorded(deps, row, request),
  };
}

interface FoundTurn {
  request: SentRequest | undefined;
  /** The log up to when the model was asked. */
  before: readonly Chunk[];
  /** The provider refused the turn as too long, and was asked with less. */
  wasTooLong: boolean;
}

function findTurn(log: readonly Chunk[], index: number): FoundTurn | undefined {
  let turns = 0;
  const from = log.findIndex(({ type }) => type === "iteration" && ++turns === index);
  const first = log[from];
  if (!first) return undefined;
  let asked = from;
  let request: SentRequest | undefined;
  let wasTooLong = false;
  for (let at = from + 1; at < log.length; at++) {
    const chunk = log[at];
    if (!chunk || chunk.agent !== first.agent) continue;
    if (chunk.type === "request") [request, asked] = [chunk, at];
    else if (request && chunk.type === "notice" && chunk.kind === "compaction") wasTooLong = true;
    // Logs of earlier versions say by its answer when the model was asked.
    else if (!request && (chunk.type === "message" || chunk.type === "notice")) asked = at;
    else if (isOver(chunk)) break;
    else if (!request && kindOf(chunk).isAnswer) break;
  }
  return { request, before: log.slice(0, asked + 1), wasTooLong };
}

const isOver = (chunk: Chunk): boolean =>
  chunk.type === "iteration" ||
  chunk.type === "result" ||
  (chunk.type === "usage" && chunk.stopReason !== undefined);

async function readContents(
  { store }: Pick<RunDeps, "store">,
  { id }: RunRow,
  request: SentRequest | undefined,
): Promise<{ system: string | null; tools: ToolSpec[] | null }> {
  const hashes = [request?.system, request?.tools].flatMap((hash) => hash ?? []);
  const found = await store.log.contents(id, hashes);
  const bodyOf = (hash: string | null | undefined) => (hash ? (found.get(hash) ?? null) : null);
  return { system: bodyOf(request?.system), tools: readTools(bodyOf(request?.tools)) };
}

async function readRecorded(
  { store }: Pick<RunDeps, "store">,
  { id }: RunRow,
  request: SentRequest | undefined,
): Promise<WireRecord | null> {
  const stored = request?.wire === undefined ? undefined : await store.log.wire(id, request.wire);
  return stored ? readWire(stored) : null;
}

type Recorded = { system: string | null; tools: ToolSpec[] | null };

async function foldMessages(
  { store }: RunDeps,
  row: RunRow,
  { request, before, wasTooLong }: FoundTurn,
  { system, tools }: Recorded,
): Promise<ChatMessage[]> {
  const { rows } = await store.messages.branch(row.conversationId, row.parentId);
  const record = new Transcript(rows.map(({ message }) => message));
  for (const chunk of before) record.add(chunk);
  const turn = { system: system ?? "", tools: tools ?? [], history: record.history() };
  if (!request) return modelHistory(turn.history).map((message) => redactMessage(asRead(message)));
  const chosen = new ChosenContext(row.options.context, rows);
  const sent = await shorten(turn, { window: request.window, chosen }, wasTooLong);
  return modelHistory(sent).map((message) => redactMessage(asRead(message)));
}

/** What the loop makes of a turn that is longer than the model can read; nobody is asked for a summary, which is in the log. */
async function shorten(
  turn: Omit<Turn, "signal">,
  options: Pick<ContextOptions, "window" | "chosen">,
  wasTooLong: boolean,
): Promise<Turn["history"]> {
  let { history } = turn;
  let refuses = wasTooLong;
  const nobody: Provider = {
    async *stream(sent) {
      history = sent.history;
      if (refuses) {
        refuses = false;
        throw new ProviderError("context_overflow", "The model was sent more than it can read.");
      }
      yield { type: "usage", inputTokens: 0, outputTokens: 0, stopReason: "end_turn" };
    },
  };
  const limited = withContextLimit(nobody, { ...options, archive: new ResultArchive() });
  for await (const _ of limited.stream({ ...turn, signal: new AbortController().signal }));
  return history;
}

function asRead(message: ChatMessage): ChatMessage {
  if (message.role !== "tool") return message;
  const results = message.results.map(({ id, status, ...result }) => ({
    id,
    status,
    content: modelContent({ id, status, ...result }),
  }));
  return { ...message, results };
}

function paramsOf({ params }: SentRequest, { options }: RunRow): NonNullable<ModelRequest["params"]> {
  const { hasResponseSchema, ...knobs } = params;
  return {
    ...knobs,
    ...(hasResponseSchema && options.responseSchema && { responseSchema: options.responseSchema }),
  };
}
