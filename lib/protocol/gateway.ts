import type { ToolCallId } from "./ids";
import type { ToolResult } from "./message";

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

/** What a client has called in some time. */
export interface CallCount {
  /** Null for the launch token. */
  tokenId: string | null;
  calls: number;
  /** How often a person was asked. */
  asked: number;
  /** Calls that were denied. */
  denied: number;
}

/** `GET /api/tokens/calls`: of the last 24 hours. */
export interface ClientCalls {
  since: string;
  items: CallCount[];
  /** False where there were more calls than are counted. */
  isWhole: boolean;
}

/** The call of a client, as lists tell it. */
export interface ListedCall {
  /** Qualified by its server. */
  tool: string;
  /** What it is about, in 200 characters at most; null where it has no arguments. */
  argument: string | null;
  /** Null while it goes on or waits, and where it was taken back. */
  status: ToolResult["status"] | null;
}
