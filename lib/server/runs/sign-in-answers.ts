import type { Chunk, InputRequest } from "@/lib/protocol/chunk";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";

/**
 * Lets the runs go on that wait for a sign-in, as soon as it is done: in whatever tab, and in whatever run it was asked for. Returns
 * how to end that.
 */
export function followSignIns(deps: RunDeps): () => void {
  let known = new Set<string>();
  let isWorking = false;
  let isStale = false;
  const look = () => {
    const done = deps.pool.signIns.done();
    // All waiting runs are read for it: a server that goes away answers none.
    const names = done.map(({ server, at, person }) => JSON.stringify([server, at, person]));
    const isNew = names.some((name) => !known.has(name));
    known = new Set(names);
    if (!isNew) return;
    // One walk at a time, and one more for what has changed meanwhile.
    isStale = true;
    if (!isWorking) void walk();
  };
  const walk = async () => {
    isWorking = true;
    while (isStale) {
      isStale = false;
      await answerAll(deps).catch((err) =>
        deps.log.error({ err }, "runs that wait for a sign-in were not looked at"),
      );
    }
    isWorking = false;
  };
  const stop = deps.pool.onChange(look);
  look();
  return stop;
}

async function answerAll(deps: RunDeps): Promise<void> {
  // The live ones first: one that ends meanwhile waits by then.
  const ids = deps.runs.all().map(({ row }) => row.id);
  const { runs } = deps.store;
  // The process also drives runs of another store: those of temporary chats.
  const [waiting, live] = await Promise.all([runs.withStatus("waiting"), runs.many(ids)]);
  // Who is not there has not signed in: what is theirs is not connected for it.
  const there = new Set(deps.pool.signIns.done().map(({ person }) => person));
  const rows = [...live, ...waiting].filter(({ userId }) => there.has(undefined) || there.has(userId));
  for (const row of rows)
    await answerSignIns(deps, row).catch((err) =>
      deps.log.error({ err, runId: row.id }, "a run that waits for a sign-in did not go on"),
    );
}

/** Answers the questions of one run whose servers a person has signed in to since they were asked. */
export async function answerSignIns(deps: RunDeps, row: RunRow): Promise<void> {
  for (const requestId of await signedInSince(deps, row))
    try {
      await answerRun(deps, row, { requestId, action: "accept" });
    } catch (cause) {
      // Somebody was faster.
      if (!(cause instanceof HttpError && cause.code === "already_answered")) throw cause;
    }
}

async function signedInSince(deps: RunDeps, row: RunRow): Promise<string[]> {
  const live = deps.runs.get(row.id);
  const log = live?.chunks ?? [
    ...(await readWholeLog(deps, row.id)).map(({ data }) => data),
    ...(await deps.store.runs.answers(row.id)),
  ];
  // Somebody else's sign-in is nothing to this run.
  const { signIns } = deps.pool.of(row.userId);
  const done = new Map(signIns.done().map(({ server, at }) => [server, at]));
  return pendingRequests(log)
    .filter(isSignIn)
    .filter(({ server, at = 0 }) => {
      const signedInAt = done.get(server);
      // That it is ready is not enough: the next call may be refused again, and nobody would have signed in.
      return signedInAt !== undefined && signedInAt > at;
    })
    .map(({ requestId }) => requestId);
}

const isSignIn = (request: Chunk): request is InputRequest & { at?: number } =>
  request.type === "input_request" && request.reason === "login";
