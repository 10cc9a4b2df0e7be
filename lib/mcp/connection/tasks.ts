import { setTimeout as wait } from "node:timers/promises";
import {
  type CallToolResult,
  type Client,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Resume } from "@/lib/mcp/questions/input-required";

const defaultPollMs = 1_000;
const leastPollMs = 100;
const mostPollMs = 30_000;
/** Limit of the short requests; the result may take as long as the task. */
const shortMs = 20_000;
const cancelMs = 5_000;
/** A server forgets a result after this, ms. */
const ttlMs = 60 * 60_000;

/** Both wires: 2025-11-25 has `pollInterval` and a separate request for the result, 2026-07-28 (SEP-2663) `pollIntervalMs` and everything in one answer. */
const statusSchema = z.looseObject({
  taskId: z.string().optional(),
  status: z.enum(["working", "input_required", "completed", "failed", "cancelled"]),
  statusMessage: z.string().nullish().catch(null),
  pollInterval: z.number().nullish().catch(null),
  pollIntervalMs: z.number().nullish().catch(null),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
  inputRequests: z.record(z.string(), z.unknown()).optional(),
});
type Status = z.output<typeof statusSchema>;

const createdSchema = z.looseObject({ task: z.looseObject({ taskId: z.string().min(1).max(1_000) }) });
const looseSchema = z.looseObject({});

/** Whether the server takes calls as tasks of 2025-11-25; on the newer wire it decides by itself. */
export function takesTasks(client: Client): boolean {
  const { tasks } = (client.getServerCapabilities() ?? {}) as { tasks?: TaskCapability };
  return client.getProtocolEra() !== "modern" && tasks?.requests?.tools?.call !== undefined;
}

interface TaskCapability {
  requests?: { tools?: { call?: unknown } };
}

/** Sends a call as a task (2025-11-25); its id. */
export async function createTask(
  client: Client,
  params: Record<string, unknown>,
  options: RequestOptions,
): Promise<string> {
  const request = { method: "tools/call", params: { ...params, task: { ttl: ttlMs } } };
  const { task } = await client.request(request, createdSchema, options);
  return task.taskId;
}

export interface Following {
  signal: AbortSignal;
  /** Called with each new status message. */
  onStatus(message: string): void;
  /** Of the request for the result, during which the server may ask. */
  options: RequestOptions;
  /** Of the same request: tells when its answer breaks off. */
  progressToken: string;
}

/** The server no longer knows the task. */
export class LostTaskError extends Error {}

const asLost = (cause: unknown): never => {
  throw cause instanceof ProtocolError ? new LostTaskError(cause.message) : cause;
};

/** A task has ended, or waits for answers. */
export type TaskEnd =
  | { result: CallToolResult }
  | { asks: NonNullable<InputRequiredResult["inputRequests"]> };

/**
 * Follows a task until it has a result or asks for something; when the signal fires, the server is told to cancel it.
 * Another process than the one that sent the call may follow it.
 */
export async function followTask(
  client: Client,
  { taskId = "", inputResponses, answered = [] }: Resume,
  { signal, onStatus, options, progressToken }: Following,
): Promise<TaskEnd> {
  const short = { signal, timeout: shortMs };
  try {
    const get = { method: "tasks/get", params: { taskId } };
    const update = { method: "tasks/update", params: { taskId, inputResponses } };
    if (inputResponses) await client.request(update, looseSchema, short);
    let told = "";
    while (true) {
      const status = await client.request(get, statusSchema, short).catch(asLost);
      if (status.statusMessage && status.statusMessage !== told) {
        told = status.statusMessage;
        onStatus(told);
      }
      const isModern = client.getProtocolEra() === "modern";
      if (status.status === "working" || (isModern && isAnswered(status, answered)))
        await wait(pollMs(status), undefined, { signal, ref: false });
      else if (status.status === "cancelled")
        throw new ProtocolError(ProtocolErrorCode.InternalError, "The server has cancelled the task");
      else
        return isModern
          ? endOf(status)
          : await resultOf(client, { taskId, _meta: { progressToken } }, options);
    }
  } catch (cause) {
    if (signal.aborted) cancelTask(client, taskId);
    throw cause;
  }
}

/** The server has not taken in the answers yet. */
const isAnswered = ({ status, inputRequests = {} }: Status, answered: readonly string[]) =>
  status === "input_required" && Object.keys(inputRequests).every((key) => answered.includes(key));

const pollMs = ({ pollInterval, pollIntervalMs }: Status) =>
  Math.min(mostPollMs, Math.max(leastPollMs, pollIntervalMs ?? pollInterval ?? defaultPollMs));

function endOf({ status, result, error, inputRequests = {} }: Status): TaskEnd {
  if (status === "input_required")
    return { asks: inputRequests as NonNullable<InputRequiredResult["inputRequests"]> };
  if (error) throw new ProtocolError(error.code, error.message);
  return { result: { content: [], ...(result as object) } };
}

/** Resolves when the task has ended; what the server asks until then comes during this request. */
async function resultOf(
  client: Client,
  params: { taskId: string; _meta: { progressToken: string } },
  options: RequestOptions,
): Promise<TaskEnd> {
  const request = { method: "tasks/result", params };
  return { result: { content: [], ...(await client.request(request, looseSchema, options)) } };
}

function cancelTask(client: Client, taskId: string): void {
  const request = { method: "tasks/cancel", params: { taskId } };
  client.request(request, looseSchema, { timeout: cancelMs }).catch(() => {}); // nobody waits for it
}
