import type { DiskState } from "@/lib/protocol/data";
import { HttpError, overloaded } from "@/lib/server/http/errors";
import { checkCaller, checkHost } from "@/lib/server/http/guard";
import { failureOfStore } from "@/lib/server/http/store-failure";
import type { Deps } from "./open-deps";

/** A database that takes longer is none that more work should come to. */
const probeMs = 1_000;

interface Readiness {
  status: "ready";
  liveRuns: number;
  disk: DiskState;
  /** What others do is seen half a second later. */
  bus?: "down";
}

/** What a balancer asks for: 200 or 503. Why, and how much there is to do, is for who is signed in. */
export async function answerReady(deps: Deps, headers: Headers): Promise<Partial<Readiness>> {
  const isKnown = await hasSession(deps, headers);
  try {
    const whole = await readiness(deps);
    return isKnown ? whole : { status: whole.status };
  } catch (cause) {
    throw isKnown ? cause : new HttpError(503, "not_ready", "Ask another instance.", undefined, 5);
  }
}

/** Looked at only where it is ours to look: a page of another site has no part in it. */
async function hasSession(deps: Deps, headers: Headers): Promise<boolean> {
  try {
    checkHost(headers, deps);
    await checkCaller(headers, deps);
    return true;
  } catch {
    return false;
  }
}

/** Whether work can be taken: this process goes on, has room for runs and is left what it does, and the database takes a write. */
async function readiness(deps: Deps): Promise<Readiness> {
  if (deps.runs.draining) throw new HttpError(503, "draining", "The server is shutting down.", undefined, 5);
  if (deps.runs.isNearlyFull) throw overloaded("Too many answers are being written; try again soon.");
  if (!deps.store.members.holds()) throw silent();
  await withinProbe(deps.store.probe()).catch((cause) => {
    const known = failureOfStore(cause);
    throw known ? new HttpError(503, known.code, known.message, undefined, 5) : silent();
  });
  // Answered all the same: nobody else could take the work.
  const { bus } = deps.store;
  return {
    ...{ status: "ready", liveRuns: deps.runs.count, disk: await deps.disk.state() },
    ...(!bus.isUp && { bus: "down" }),
  };
}

const silent = () => new HttpError(503, "database", "The database does not answer.", undefined, 5);

async function withinProbe(probe: Promise<void>): Promise<void> {
  const { promise: isLate, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(silent()), probeMs);
  await Promise.race([probe, isLate]).finally(() => clearTimeout(timer));
}
