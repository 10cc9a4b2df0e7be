import {
  type CalledTool,
  type CallFollower,
  errorCodes,
  GatewayError,
  type McpAnswer,
} from "@/lib/mcp/gateway/offer";
import type { GivenTool } from "@/lib/mcp/offered-tools";
import { defaultWaitMs } from "@/lib/protocol/api-tokens";
import { countParts } from "@/lib/protocol/count-parts";
import type { GatewayCall } from "@/lib/protocol/gateway";
import { runLimits } from "@/lib/protocol/run-limits";
import { newCallId } from "@/lib/providers/tools/call-id";
import { toHttpError } from "@/lib/server/http/failure";
import type { Person } from "@/lib/server/http/guard";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { FoundGatewaySession } from "@/lib/store/kept-ports";
import { abilitiesOf } from "./ask-client";
import { beginCall, type CallDeps } from "./begin-call";
import { CallOutcome } from "./call-outcome";
import { followCall } from "./follow-call";
import type { Reach } from "./offered-tools";
import { findLeft, takeUp } from "./take-up";

const { argumentCharacters, argumentDepth } = runLimits.chat;

export interface CallingClient {
  person: Person;
  session: FoundGatewaySession;
  reach: Reach;
}

/** Has a run make the call of a program to this tool of a server, and waits for its outcome. */
export async function callTool(
  deps: CallDeps,
  client: CallingClient,
  { called, tool }: { called: CalledTool; tool: GivenTool },
  follow: CallFollower,
): Promise<McpAnswer> {
  checkArguments(called.args);
  const { session, reach } = client;
  return toldToClient(deps, async () => {
    const asked = toCall(client, called, tool.name);
    const left = session.hasWaiting ? await findLeft(deps, session.conversationId, asked) : undefined;
    const gateway = left?.gateway ?? asked;
    const outcome = new CallOutcome(gateway, follow);
    deps.runs.awaited.set(gateway.id, outcome);
    try {
      const { signal } = follow;
      const taken = left && (await takeUp(deps, left));
      const first = taken ?? (await beginCall(deps, { session, gateway, servers: reach.servers, signal }));
      return await followCall(deps, { gateway, outcome, follow, abilities: abilitiesOf(session) }, first);
    } finally {
      deps.runs.awaited.delete(gateway.id);
    }
  });
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

/** What is thrown on the way is told to the client in words. */
export async function toldToClient<Value>(
  deps: Pick<RunDeps, "log">,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw toGatewayError(deps, cause);
  }
}

function toGatewayError({ log }: Pick<RunDeps, "log">, cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const known = toHttpError(cause);
  if (known) return new GatewayError(errorCodes.internal, known.message);
  log.error({ err: cause }, "a call of a client failed");
  return new GatewayError(errorCodes.internal, "Something went wrong on our side; the log says more.");
}
