import { onTestFinished } from "vitest";
import type { Provider, Turn } from "@/lib/agent/ports";
import { assertAccepted } from "@/lib/agent/testing/scripted";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { type DeskServer, openDeskServer } from "@/lib/mcp/testing/desk-server";
import { openPool, type TestPool } from "@/lib/mcp/testing/test-pool";
import type { AgenticLoopResult, Chunk, ModelChunk, PendingRequest, StepChunk } from "@/lib/protocol/chunk";
import { modelHistory } from "@/lib/protocol/history";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { Env } from "@/lib/server/env";
import { newId } from "@/lib/server/ids";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { startRun } from "@/lib/server/runs/start-run";
import type { Store } from "@/lib/store/ports";
import { run as newRun, result, runEnd } from "@/lib/store/testing/rows";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import type { RunOptions, RunRow } from "@/lib/store/types";
import { type GatedStore, gated } from "./gated-store";

/** What the model says, a script for each turn; a promise is waited for as long as the run wants the turn. */
export type Script = readonly (readonly (ModelChunk | Error | Promise<unknown>)[])[];

/** What outlives a process in a test: the store and the servers. The model is scripted and goes on as well. */
export interface World {
  store: Store;
  /** Where it keeps its files. */
  dataDir: string;
  desk: DeskServer;
  tools: TestPool;
  /** Turns that the model was asked for. */
  turns: Turn[];
  model: Provider;
}

/** A real store in a new folder, a real pool with the server `desk`, and a model that plays the script. */
export async function openWorld(script: Script, dataDir = tempDir()): Promise<World> {
  const desk = await openDeskServer();
  onTestFinished(() => desk.close());
  const tools = await openPool({ desk: desk.config });
  onTestFinished(() => tools.close());
  await tools.ready("desk");
  const turns: Turn[] = [];
  return {
    store: await openTempStore({ dataDir }),
    dataDir,
    desk,
    tools,
    turns,
    model: playing(script, turns),
  };
}

function playing(script: Script, turns: Turn[]): Provider {
  return {
    async *stream(turn) {
      turns.push(turn);
      assertAccepted(modelHistory(turn.history));
      const { promise: aborted, reject } = Promise.withResolvers<never>();
      aborted.catch(() => {});
      turn.signal.addEventListener("abort", () => reject(turn.signal.reason));
      const events = script[turns.length - 1];
      if (!events) throw new Error(`The script has no turn ${turns.length}.`);
      for (const event of events) {
        turn.signal.throwIfAborted();
        if (event instanceof Error) throw event;
        if (event instanceof Promise) await Promise.race([event, aborted]);
        else yield event;
      }
    },
  };
}

/** A process: a registry and calls under way of its own, on a store that others may have as well. */
export interface Process extends RunDeps {
  store: GatedStore;
  files: AttachmentFiles;
  env: Pick<Env, "AGENTS_DIR" | "TOOL_APPROVAL">;
  /** What it has logged as an error. */
  faults: unknown[];
}

export function startProcess(world: World): Process {
  const faults: unknown[] = [];
  return {
    store: gated(world.store),
    runs: new LiveRuns(),
    turns: new KeyedMutex(),
    inFlight: new InFlightCalls(),
    pool: world.tools.pool,
    providers: {
      provider: () => world.model,
      window: () => undefined,
      defaultModel: async () => "scripted/model",
    },
    files: new AttachmentFiles(tempDir(), 1_000_000),
    env: { TOOL_APPROVAL: "ask", AGENTS_DIR: "/nowhere" },
    log: { error: (...said: unknown[]) => void faults.push(said[0]), warn: () => {} },
    tracing: undefined,
    faults,
  };
}

/** One process in a new world. */
export async function startAlone(...script: Script): Promise<Process & { world: World }> {
  const world = await openWorld(script);
  return { ...startProcess(world), world };
}

export const user = "ann";

/** Asks the first question of a new conversation; resolves when its run is stored and goes on. */
export const ask = (deps: RunDeps, options: RunOptions = {}): Promise<RunRow> =>
  startRun(deps, { ...firstQuestion(), options });

const scriptedAsker = { userId: user, model: "scripted/model" };

function firstQuestion(asker = scriptedAsker) {
  const [id, conversationId, now] = [newId(), newId(), Date.now()];
  const times = { createdAt: now, updatedAt: now };
  const message = { role: "user" as const, parts: [{ type: "text" as const, text: "Do it." }] };
  const place = { parentId: null, runId: null, model: null, clientMessageId: null, createdAt: now };
  return {
    ...{ ...asker, conversationId, messageId: id, parentId: id },
    begin: {
      conversation: {
        id: conversationId,
        userId: asker.userId,
        title: "A talk",
        leafId: null,
        pinned: false,
        ...times,
      },
      question: { id, conversationId, message, ...place },
    },
  };
}

/** A run that has said nothing but this question, and waits for its answer. */
export async function waitingFor(
  { store }: Pick<RunDeps, "store">,
  question: StepChunk,
  asker = scriptedAsker,
): Promise<RunRow> {
  const { begin, ...place } = firstQuestion(asker);
  const end = result({ stopReason: "awaiting_approval", historyDelta: [], finalText: "" });
  const row = newRun(newId(), { ...place, status: "waiting", endedAt: Date.now(), result: runEnd(end) });
  await store.runs.begin(row, begin);
  const log: Chunk[] = [question, { type: "result", result: end }];
  await store.log.append(
    row.id,
    log.map((data, index) => ({ seq: index + 1, at: 1, data })),
    true,
  );
  return row;
}

/** The run as it is stored, once it goes on no longer in this process. */
export async function ended(deps: RunDeps, { id }: Pick<RunRow, "id">): Promise<RunRow> {
  await deps.runs.get(id)?.ended;
  return stored(deps, id);
}

export async function stored({ store }: Pick<RunDeps, "store">, id: string): Promise<RunRow> {
  const row = await store.runs.get(user, id);
  if (!row) throw new Error(`There is no run ${id}.`);
  return row;
}

/** Everything that its log holds. */
export const logOf = async (deps: Pick<RunDeps, "store">, { id }: Pick<RunRow, "id">): Promise<Chunk[]> =>
  (await readWholeLog(deps, id)).map(({ data }) => data);

/** The end of a run as its log holds it, with the messages it added. */
export async function resultOf(
  deps: Pick<RunDeps, "store">,
  row: Pick<RunRow, "id">,
): Promise<AgenticLoopResult> {
  const last = (await logOf(deps, row)).at(-1);
  if (last?.type !== "result") throw new Error("The log has no end.");
  return last.result;
}

/** The types of a log's chunks, without those that only tell of costs. */
export const kindsOf = async (deps: Pick<RunDeps, "store">, row: Pick<RunRow, "id">): Promise<string> =>
  (await logOf(deps, row)).flatMap(({ type }) => (type === "usage" ? [] : type)).join(" ");

/** The questions of a run, in the order in which they were asked. */
export const questionsOf = async (
  deps: Pick<RunDeps, "store">,
  row: Pick<RunRow, "id">,
): Promise<PendingRequest[]> => pendingRequests(await logOf(deps, row));

/** The messages up to the last one of the conversation. */
export async function historyOf({ store }: Pick<RunDeps, "store">, { conversationId }: RunRow) {
  const leafId = (await store.conversations.get(user, conversationId))?.leafId;
  const { rows } = leafId ? await store.messages.branch(conversationId, leafId) : { rows: [] };
  return rows.map(({ message }) => message);
}

/** The run that continues this one. */
export async function nextOf({ store }: Pick<RunDeps, "store">, row: RunRow): Promise<RunRow | undefined> {
  const rows = await store.runs.ofMessage(row.conversationId, row.messageId);
  return rows.find(({ continues }) => continues === row.id);
}
