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
}

/** Which program it was. */
export interface GatewayClient {
  /** The API token that it came with; null for the launch token. */
  tokenId: string | null;
  /** The name of the token; empty for the launch token. */
  name: string;
  /** As the program calls itself. */
  program: string;
}
