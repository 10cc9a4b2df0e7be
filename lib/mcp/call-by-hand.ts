import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpTriedCall } from "@/lib/protocol/mcp-offers";
import { callTool, changedOutcome } from "./calls/call-tool";
import { errorOutcome, notRunOutcome } from "./calls/read-result";
import { McpConfigError } from "./config/config-fault";
import type { CallListener, Progress } from "./connection/asking-calls";
import type { OnMessage } from "./connection/exchanges";
import { definitionHash } from "./connection/server-tool";
import type { Pins } from "./definitions/pins";
import { targetOf } from "./offered-tools";
import type { ServerRegistry } from "./servers/server-registry";

/** Follows a call that a person makes by hand. */
export interface CallWatch {
  onProgress(progress: Progress): void;
  /** Called with the call and its answer as they go over the wire. */
  onMessage: OnMessage;
}

export interface ByHand extends Partial<CallWatch>, Pick<CallListener, "person"> {
  /** Only this definition is called. */
  definition?: string;
}

/** A call outside of a run: the server cannot ask for anything. */
export async function callByHand(
  servers: ServerRegistry,
  name: string,
  pins: Pins,
  tool: string,
  args: Record<string, unknown>,
  signal: AbortSignal,
  { definition, ...watch }: ByHand = {},
): Promise<McpTriedCall> {
  const started = performance.now();
  const server = servers.require(name);
  const found = server.listing?.tools.find(({ name }) => name === tool);
  if (server.listing && !found) throw new McpConfigError("not_found", `${server.name} has no tool ${tool}.`);
  const isOther = definition !== undefined && found && definitionHash(found) !== definition;
  const options = { callId: "by-hand", args, signal, onProgress: () => {}, ...watch };
  if (found && pins.isBlocked(server.name, found))
    throw new McpConfigError("blocked", `${tool} is kept blocked. Accept its definition first.`);
  const outcome = !found
    ? notRunOutcome(`Not run: ${server.name} is not connected.`)
    : isOther
      ? changedOutcome()
      : await callTool(targetOf({ server, tool: found }, pins, servers), options);
  // Only a run can wait for a person.
  const result =
    "inputRequired" in outcome
      ? errorOutcome("The tool asks for input, which only a chat can give.")
      : "signIn" in outcome
        ? notRunOutcome(`Not run: ${server.name} wants you to sign in first.`)
        : outcome;
  return { id: "by-hand" as ToolCallId, ...result, durationMs: performance.now() - started };
}
