import {
  type CalledTool,
  type CallFollower,
  errorCodes,
  GatewayError,
  type McpAnswer,
} from "@/lib/mcp/gateway/offer";
import { defaultWaitMs } from "@/lib/protocol/api-tokens";
import { countParts } from "@/lib/protocol/count-parts";
import type { GatewayCall } from "@/lib/protocol/gateway";
import { runLimits } from "@/lib/protocol/run-limits";
import { newCallId } from "@/lib/providers/tools/call-id";
import { toHttpError } from "@/lib/server/http/failure";
import type { Person } from "@/lib/server/http/guard";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { stopRun } from "@/lib/server/runs/stop-run";
import type { GatewaySessionRow } from "@/lib/store/kept-ports";
import { beginCall, type CallDeps } from "./begin-call";
import { CallOutcome } from "./call-outcome";
import { findTool, type Reach } from "./offered-tools";
import { errorAnswer, toAnswer } from "./to-answer";

const { argumentCharacters, argumentDepth } = runLimits.chat;

export interface CallingClient {
  person: Person;
  session: GatewaySessionRow;
  reach: Reach;
}

/** Has a run make the call of a program, and waits for its outcome. */
export async function callTool(
  deps: CallDeps & { pool: Parameters<typeof findTool>[0]["pool"] },
  client: CallingClient,
  called: CalledTool,
  follow: CallFollower,
): Promise<McpAnswer> {
  const found = findTool(deps, client.reach, called.name);
  if (!found) throw new GatewayError(errorCodes.invalidParams, `There is no tool ${called.name}.`);
  checkArguments(called.args);
  const gateway = toCall(client, called, found.name);
  const outcome = new CallOutcome(gateway, follow);
  deps.runs.awaited.set(gateway.id, outcome);
  try {
    return await awaitOutcome(deps, client, { gateway, outcome, follow });
  } catch (cause) {
    throw toGatewayError(deps, cause);
  } finally {
    deps.runs.awaited.delete(gateway.id);
  }
}

function checkArguments(args: Record<string, unknown>): void {
  const isShallow = countParts(args, argumentDepth, argumentCharacters) !== undefined;
  if (!isShallow || JSON.stringify(args).length > argumentCharacters)
    throw new GatewayError(
      errorCodes.invalidParams,
      `arguments: at most ${argumentCharacters} characters, nested at most ${argumentDepth} deep; send less at once.`,
    );
}

function toCall(
  { person, session }: CallingClient,
  { args, requestId }: CalledTool,
  name: string,
): GatewayCall {
  const { token } = person;
  const { client } = session;
  return {
    id: newId(),
    client: {
      ...{ tokenId: token?.id ?? null, name: token?.name ?? "" },
      program: client.title ?? client.name,
    },
    call: { id: newCallId(), name, args },
    ...{ requestId, onApproval: token?.onApproval ?? "wait", waitMs: token?.waitMs ?? defaultWaitMs },
  };
}

interface Awaited {
  gateway: GatewayCall;
  outcome: CallOutcome;
  follow: CallFollower;
}

async function awaitOutcome(
  deps: CallDeps,
  { session, reach }: CallingClient,
  { gateway, outcome, follow }: Awaited,
): Promise<McpAnswer> {
  const run = await beginCall(deps, {
    ...{ session, gateway, servers: reach.servers, signal: follow.signal },
  });
  const cancel = () =>
    void stopRun(deps, run.row).catch((err) => deps.log.warn({ err }, "a call that was cancelled goes on"));
  follow.signal.addEventListener("abort", cancel, { once: true });
  if (follow.signal.aborted) cancel();
  try {
    const end = await outcome.read(run);
    if (typeof end === "object") {
      // The next call may come to another instance, which has to see what this one has brought.
      if (deps.store.members.mayBeMany) await run.ended;
      const read = async (id: string) =>
        (await deps.files.read(id).catch(() => undefined))?.toString("base64");
      return await toAnswer(end.result, outcome.raw, read);
    }
    return errorAnswer("The call needs a person in Meguri, and was not made.");
  } finally {
    follow.signal.removeEventListener("abort", cancel);
  }
}

function toGatewayError({ log }: Pick<RunDeps, "log">, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const known = toHttpError(cause);
  if (known) return new GatewayError(errorCodes.internal, known.message);
  log.error({ err: cause }, "a call of a client failed");
  return new GatewayError(errorCodes.internal, "Something went wrong on our side; the log says more.");
}
