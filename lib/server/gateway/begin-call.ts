import { setTimeout as sleep } from "node:timers/promises";
import type { GatewayCall } from "@/lib/protocol/gateway";
import type { Env } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import { isStoreError } from "@/lib/server/http/store-failure";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { startRun } from "@/lib/server/runs/start-run";
import { chooseModel } from "@/lib/server/settings/choose-model";
import { readLimits } from "@/lib/server/settings/limits";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import type { Places } from "./places";

export interface CallDeps extends RunDeps {
  env: RunDeps["env"] & Pick<Env, "HOST" | "PORT" | "PUBLIC_URL">;
  places: Places;
}

interface Begun {
  session: GatewaySessionRow;
  gateway: GatewayCall;
  servers: string[] | undefined;
  signal: AbortSignal;
}

/** Stores the run of a call, and begins it, when there is a place for it. */
export async function beginCall(deps: CallDeps, begun: Begun): Promise<LiveRun> {
  const release = await deps.places.take(begun.signal);
  try {
    const run = await begin(deps, begun);
    void run.ended.then(release);
    return run;
  } catch (cause) {
    release();
    throw cause;
  }
}

async function begin(deps: CallDeps, { session, gateway, servers, signal }: Begun): Promise<LiveRun> {
  const { userId } = session;
  const model = await modelOf(deps, userId);
  const { toolTimeoutMs, toolExecution, budget } = await readLimits(deps, userId);
  const options = {
    ...(toolTimeoutMs !== undefined && { toolTimeoutMs }),
    ...(toolExecution && { toolExecution }),
    ...(budget && { budget }),
    ...(servers && { servers }),
    gateway,
  };
  let live: LiveRun | undefined;
  const start = (conversationId: string) =>
    deps.runs.admit(() => {
      const question = newMessage(
        { conversationId, parentId: null },
        { role: "user", parts: [{ type: "text", text: gateway.call.name }] },
      );
      return startRun(deps, {
        ...{ userId, conversationId, messageId: question.id, parentId: question.id, model, options },
        ...{ instructions: "", projectId: null, context: {}, origin: "gateway" },
        tokenId: gateway.client.tokenId ?? undefined,
        // Calls of a program stand side by side: it may make several at once.
        begin: { question, isBranch: true, leaf: { stays: true } },
        onBegun: (run) => {
          live = run;
        },
      });
    }, userId);
  const title = gateway.client.name || gateway.client.program;
  const row = await whenAllowed(signal, () => inConversation(deps, { session, title }, start));
  if (!live) throw new Error(`Run ${row.id} was stored and not begun.`);
  return live;
}

/** What a person may have at once is soon free again: their programs wait for it. */
async function whenAllowed<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  for (const end = performance.now() + longestMs; ; await sleep(pauseMs, undefined, { signal }))
    try {
      return await work();
    } catch (cause) {
      const isFull =
        cause instanceof HttpError && (cause.code === "too_many_runs" || cause.code === "overloaded");
      if (!isFull || performance.now() > end) throw cause;
    }
}

const pauseMs = 100;
const longestMs = 30_000;

/** Of what a server may ask to be written on the way of a call. */
const modelOf = (deps: RunDeps, userId: string): Promise<string> =>
  chooseModel(deps, userId, undefined).catch(() => deps.providers.defaultModel());

/** In the conversation of the session, which is made for its first call, and again when somebody has deleted it. */
async function inConversation<Value>(
  deps: RunDeps,
  { session, title }: { session: GatewaySessionRow; title: string },
  begin: (conversationId: string) => Promise<Value>,
): Promise<Value> {
  const { conversationId } = session;
  if (conversationId !== null)
    try {
      return await begin(conversationId);
    } catch (cause) {
      if (!isStoreError(cause) || cause.code !== "not_found") throw cause;
    }
  return begin(await deps.turns.run(`session:${session.id}`, () => makeConversation(deps, session, title)));
}

async function makeConversation(
  { store }: RunDeps,
  { id, userId, conversationId }: GatewaySessionRow,
  title: string,
): Promise<string> {
  const now = await store.gatewaySessions.get(id);
  if (now && now.conversationId !== null && now.conversationId !== conversationId) return now.conversationId;
  const made = newConversation(userId, {
    title,
    origin: "gateway",
    readOnly: true,
  });
  await store.conversations.create(made);
  if (await store.gatewaySessions.setConversation(id, conversationId, made.id)) return made.id;
  // Another instance was first.
  await store.conversations.delete(made.id);
  const theirs = (await store.gatewaySessions.get(id))?.conversationId;
  if (theirs) return theirs;
  throw new HttpError(404, "no_session", "There is no such session; begin a new one with initialize.");
}
