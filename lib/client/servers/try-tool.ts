import { decodeMessages } from "@/lib/client/http/decode-events";
import { ApiError, readFailure, send } from "@/lib/client/http/http";
import type { McpRawMessage, McpTriedCall, McpTryEvent } from "@/lib/protocol/mcp-offers";

export type TryProgress = Extract<McpTryEvent, { event: "progress" }>["data"];

export interface TryWatch {
  onProgress(progress: TryProgress): void;
  onMessage(raw: McpRawMessage): void;
}

/** Calls a tool by hand; aborting cancels the call on its server. Throws `ApiError`, except that an abort stays one. */
export async function tryTool(
  server: string,
  tool: string,
  args: Record<string, unknown>,
  watch: TryWatch,
  signal: AbortSignal,
): Promise<McpTriedCall> {
  const path = `/api/mcp/servers/${encodeURIComponent(server)}/tools/${encodeURIComponent(tool)}/call`;
  const response = await send(path, {
    method: "POST",
    headers: { accept: "text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ args }),
    signal,
  });
  if (!response.ok || !response.body) throw await readFailure(response);
  for await (const { event, data } of decodeMessages(bytesOf(response.body))) {
    const told = { event, data: JSON.parse(data) } as McpTryEvent;
    switch (told.event) {
      case "progress":
        watch.onProgress(told.data);
        break;
      case "message":
        watch.onMessage(told.data);
        break;
      case "result":
        return told.data;
      case "failed":
        throw new ApiError(told.data.code, told.data.message, 200);
    }
  }
  throw new ApiError("offline", "The connection to Meguri was lost.", 0);
}

/** Not every browser can iterate over a stream. */
async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    // To stop reading is to cancel the call.
    await reader.cancel().catch(() => {});
  }
}
