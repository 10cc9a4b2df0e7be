import type { ConversationDetail, RunItem } from "@/lib/protocol/http";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { App } from "./app";
import { type Following, followStream, readStream } from "./follow-stream";

/** The API as a script uses it, with the launch token; each call fails on an answer that is no success. */
export function apiOf(app: Pick<App, "fetch">) {
  const send = (method: string, path: string, body?: unknown) =>
    app.fetch(path, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
  const get = async <Body>(path: string): Promise<Body> => expectOk(await app.fetch(path));
  return {
    send,
    get,
    post: async <Body>(path: string, body: unknown = {}): Promise<Body> =>
      expectOk(await send("POST", path, body)),
    patch: async <Body>(path: string, body: unknown): Promise<Body> =>
      expectOk(await send("PATCH", path, body)),
    /** Begins an answer. */
    ask: async (text: string, more: object = {}): Promise<Following> =>
      followStream(await send("POST", "/api/chat", { message: { text }, ...more })),
    /** Follows a run from a number on. */
    follow: async (runId: string, after = 0): Promise<Following> =>
      followStream(await app.fetch(`/api/runs/${runId}/stream?after=${after}`)),
    /** Reads a run to its end. */
    replay: async (runId: string, after = 0): Promise<Following> =>
      readStream(await app.fetch(`/api/runs/${runId}/stream?after=${after}`)),
    run: (id: string) => get<RunItem>(`/api/runs/${id}`),
    conversation: (id: string) => get<ConversationDetail>(`/api/conversations/${id}?limit=200`),
    servers: () => get<McpServerList>("/api/mcp/servers"),
    server: (name: string) => get<McpServerItem>(`/api/mcp/servers/${name}`),
  };
}

async function expectOk<Body>(response: Response): Promise<Body> {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Body;
}
