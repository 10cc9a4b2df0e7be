import type { ToolCallId } from "./ids";

/** What a program has called through the gateway, as its run keeps it. */
export interface GatewayCall {
  /** The same for all runs of a chain. */
  id: string;
  client: GatewayClient;
  call: { id: ToolCallId; name: string; args: Record<string, unknown> };
  /** The id of its request, by which the program cancels it. */
  requestId: string | number;
  onApproval: "wait" | "fail";
  /** How long the program waits for a person, ms. */
  waitMs: number;
  /** When it was called again while it waited for a person; epoch ms. */
  takenUpAt?: number;
}

/** After a program has stopped waiting its question stays open for so long, and so does a yes, ms: it may call again. */
export const keptMs = 600_000;

/** Which program it was. */
export interface GatewayClient {
  /** The API token that it came with; null for the launch token. */
  tokenId: string | null;
  /** The name of the token; empty for the launch token. */
  name: string;
  /** As the program calls itself. */
  program: string;
}
