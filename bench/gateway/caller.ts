import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { serveParent } from "@/bench/support/child";

/** A server of MCP, and what it asks for. */
export interface Endpoint {
  url: string;
  token?: string;
}

export type CallerOrder =
  /** One call at a time, at each of the endpoints in turns. */
  | { does: "race"; endpoints: readonly Endpoint[]; warmUps: number; calls: number }
  /** So many clients, each with so many calls at once. */
  | { does: "crowd"; endpoint: Endpoint; clients: number; calls: number }
  /** Sessions that are begun and left as they are; with `isTold` each has its stream open, as the SDK's client has. */
  | { does: "begin"; endpoint: Endpoint; sessions: number; isTold: boolean };

export interface CrowdAnswer {
  /** In words, of each call that did not come back whole. */
  lost: string[];
  /** From the first call until the last result, without the connecting, ms. */
  ms: number;
}

const text = "It is said again, as it was said.";
const connectingAtOnce = 20;
/** The streams of sessions; they are open as long as this process lives. */
const streams: Response[] = [];

serveParent("ready", async (order: CallerOrder): Promise<number[][] | CrowdAnswer | number> => {
  if (order.does === "race") return race(order);
  return order.does === "crowd" ? crowd(order) : begin(order);
});

async function race({ endpoints, warmUps, calls }: CallerOrder & { does: "race" }): Promise<number[][]> {
  const racers = await Promise.all(
    endpoints.map(async (endpoint) => ({ client: await connect(endpoint), ms: [] as number[] })),
  );
  for (let at = -warmUps; at < calls; at++)
    for (const { client, ms } of racers) {
      const start = performance.now();
      await echo(client);
      if (at >= 0) ms.push(performance.now() - start);
    }
  for (const { client } of racers) await client.close();
  return racers.map(({ ms }) => ms);
}

async function crowd({ endpoint, clients, calls }: CallerOrder & { does: "crowd" }): Promise<CrowdAnswer> {
  const connected: Client[] = [];
  while (connected.length < clients)
    connected.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(connectingAtOnce, clients - connected.length) }, () =>
          connect(endpoint),
        ),
      )),
    );
  const start = performance.now();
  const answers = await Promise.allSettled(
    connected.flatMap((client) => Array.from({ length: calls }, () => echo(client))),
  );
  const ms = performance.now() - start;
  await Promise.all(connected.map((client) => client.close()));
  return {
    lost: answers.flatMap((answer) => (answer.status === "rejected" ? String(answer.reason) : [])),
    ms,
  };
}

async function begin({ endpoint, sessions, isTold }: CallerOrder & { does: "begin" }): Promise<number> {
  let begun = 0;
  while (begun < sessions) {
    const some = Math.min(connectingAtOnce, sessions - begun);
    await Promise.all(
      Array.from({ length: some }, async () => {
        const session = await beginOne(endpoint);
        if (isTold) streams.push(await openStream(endpoint, session));
      }),
    );
    begun += some;
  }
  return begun;
}

async function beginOne(endpoint: Endpoint): Promise<string> {
  const begun = await post(endpoint, {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
  });
  const session = begun.headers.get("mcp-session-id");
  if (!begun.ok || !session) throw new Error(`No session: ${begun.status} ${await begun.text()}`);
  await begun.text();
  await (await post(endpoint, { jsonrpc: "2.0", method: "notifications/initialized" }, session)).text();
  const listed = await (
    await post(endpoint, { jsonrpc: "2.0", id: 2, method: "tools/list" }, session)
  ).text();
  if (!listed.includes("echo")) throw new Error(`The session lists no tools: ${listed}`);
  return session;
}

async function openStream(endpoint: Endpoint, session: string): Promise<Response> {
  const stream = await fetch(endpoint.url, {
    headers: { accept: "text/event-stream", ...headersOf(endpoint, session) },
  });
  if (!stream.ok) throw new Error(`No stream: ${stream.status} ${await stream.text()}`);
  return stream;
}

const post = (endpoint: Endpoint, message: unknown, session?: string): Promise<Response> =>
  fetch(endpoint.url, {
    method: "POST",
    headers: {
      ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
      ...headersOf(endpoint, session),
    },
    body: JSON.stringify(message),
  });

const headersOf = ({ token }: Endpoint, session: string | undefined) => ({
  ...(token && { authorization: `Bearer ${token}` }),
  ...(session && { "mcp-session-id": session }),
});

async function connect({ url, token }: Endpoint): Promise<Client> {
  const client = new Client({ name: "bench", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...(token && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  return client;
}

async function echo(client: Client): Promise<void> {
  const { content } = await client.callTool({ name: "echo", arguments: { text } });
  if (JSON.stringify(content) !== JSON.stringify([{ type: "text", text }]))
    throw new Error(`It is not what was said: ${JSON.stringify(content)}`);
}
