import {
  type AuthProvider,
  Client,
  type PriorDiscovery,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import type { HttpLaunch, Launch } from "@/lib/mcp/config/launch";
import { sentSecrets } from "@/lib/mcp/config/secrets-of";
import { explainFault, httpStatus } from "@/lib/mcp/faults/explain-fault";
import type { StartLimit } from "@/lib/mcp/faults/start-limit";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import { createGuardedFetch, type GuardOptions } from "@/lib/mcp/transport/guarded-fetch";
import type { MayCall } from "@/lib/mcp/transport/held-calls";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { detectIsolation, type Isolation } from "@/lib/mcp/transport/process-tree";
import { ExitError, StdioTransport } from "@/lib/mcp/transport/stdio-transport";
import { Connection } from "./connection";
import { listen } from "./listen";

/** How long the probe for the newer wire waits: some older servers never answer it. */
const probeMs = 5_000;
/** Of resources that are apps (MCP Apps, 2026-01-26). */
export const appMimeType = "text/html;profile=mcp-app";

export interface OpenOptions {
  log: LogRing;
  env: Readonly<Record<string, string | undefined>>;
  version: string;
  /** `host:port` of private addresses that may be reached, including the server's own where that may be private. */
  privateHosts: readonly string[];
  limit: Pick<StartLimit, "signal" | "longestMs" | "onMessage">;
  /** What an earlier connection found out about the server. */
  prior?: PriorDiscovery | undefined;
  isolation?: Isolation | undefined;
  mayCall?: MayCall | undefined;
  guard?: Pick<GuardOptions, "connect" | "lookup" | "isDiscreet"> | undefined;
  /** Of an HTTP server that may ask for a sign-in. */
  login?: ServerLogin | undefined;
  /** The library was listed, or the tools were listed again. */
  onListed(): void;
}

/** Connects and lists the tools; on any failure, and when the limit fires, everything is closed again. */
export async function openConnection(launch: Launch, options: OpenOptions): Promise<Connection> {
  const { signal } = options.limit;
  const attempts: Attempt[] =
    launch.kind === "stdio"
      ? stdioAttempts(launch, options, await isolationOf(options))
      : httpAttempts(launch, options);
  const secrets = sentSecrets(launch);
  for (const [index, attempt] of attempts.entries()) {
    try {
      return await tryOnce(attempt, { ...options, ...launch, secrets });
    } catch (cause) {
      signal.throwIfAborted();
      if (index === attempts.length - 1 || !attempt.isRetried(cause)) throw cause;
    }
  }
  throw new Error("There was no way to connect.");
}

interface Attempt {
  open(): Transport & { pid?: number | null };
  prior: PriorDiscovery | undefined;
  /** Whether the next attempt makes sense after this failure. */
  isRetried(cause: unknown): boolean;
}

const isolationOf = async (options: OpenOptions) => options.isolation ?? (await detectIsolation());

function stdioAttempts(
  launch: Extract<Launch, { kind: "stdio" }>,
  options: OpenOptions,
  isolation: Isolation,
): Attempt[] {
  const { env, log, limit, mayCall } = options;
  const open = () => new StdioTransport({ launch, env, isolation, log, mayCall, onMessage: limit.onMessage });
  return afterProbe({ open, prior: options.prior, isRetried: () => false }, launch);
}

/**
 * A failure may be caused by the probe for the newer wire: some older servers end at the first unknown message, some
 * answer it with HTTP 500, some bridges take it for the initialization. So they are tried again as older servers.
 */
function afterProbe(attempt: Attempt, launch: Launch): Attempt[] {
  if (attempt.prior) return [attempt];
  const isRetried = (cause: unknown) => {
    const { code, final } = explainFault(cause, launch);
    return !final && code !== "connection_refused" && code !== "certificate";
  };
  return [
    { ...attempt, isRetried },
    { ...attempt, prior: { kind: "legacy" } },
  ];
}

function httpAttempts(launch: HttpLaunch, options: OpenOptions): Attempt[] {
  const streamable = afterProbe(
    {
      open: () => guarded(launch, options, (http) => new StreamableHTTPClientTransport(launch.url, http)),
      prior: options.prior,
      isRetried: (cause) => [400, 404, 405].includes(httpStatus(cause) ?? 0),
    },
    launch,
  );
  const sse: Attempt = {
    open: () => guarded(launch, options, (http) => new SSEClientTransport(launch.url, http)),
    prior: { kind: "legacy" },
    isRetried: () => true,
  };
  return launch.sse ? [sse, ...streamable] : [...streamable, sse];
}

interface HttpOptions {
  fetch: typeof fetch;
  requestInit: RequestInit;
  authProvider?: AuthProvider;
}

/** Its sockets are closed with the transport. */
function guarded(
  { headers }: HttpLaunch,
  { privateHosts, guard, login, mayCall }: OpenOptions,
  make: (options: HttpOptions) => Transport,
): Transport {
  const { fetch, close } = createGuardedFetch({ allowed: privateHosts, mayCall, ...guard });
  const signed = login?.state.signedIn ? login.wrapFetch(fetch) : fetch;
  const transport = make({
    fetch: signed,
    requestInit: { headers },
    ...(login && { authProvider: login.authProvider }),
  });
  transport.onclose = () => void close();
  return transport;
}

type Offered = OpenOptions & Pick<Launch, "roots" | "sampling"> & { secrets: readonly string[] };

async function tryOnce({ open, prior }: Attempt, options: Offered): Promise<Connection> {
  const { signal } = options.limit;
  const client = new Client(
    { name: "meguri", version: options.version },
    {
      capabilities: capabilitiesOf(options),
      versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
      inputRequired: { autoFulfill: false },
    },
  );
  const transport = open();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    const connecting = connectAndList(client, transport, options, prior);
    connecting.catch(() => {}); // after an abort nobody waits for it
    return await Promise.race([connecting, aborted.promise]);
  } catch (cause) {
    const exit = transport instanceof StdioTransport ? transport.exit : undefined;
    await transport.close().catch(() => {});
    throw exit ? new ExitError(exit, { cause }) : cause;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

const capabilitiesOf = ({ roots, sampling }: Offered) => ({
  // Servers that know roots use them instead of their own folders, so the capability is declared only with roots.
  ...(roots.length > 0 && { roots: {} }),
  ...(sampling && { sampling: { tools: {} } }),
  elicitation: { form: { applyDefaults: true }, url: {} },
  extensions: {
    "io.modelcontextprotocol/tasks": {},
    "io.modelcontextprotocol/ui": { mimeTypes: [appMimeType] },
  },
});

async function connectAndList(
  client: Client,
  transport: Transport,
  { log, onListed, limit, login, roots, sampling, secrets }: Offered,
  prior: PriorDiscovery | undefined,
): Promise<Connection> {
  await client.connect(transport, { timeout: limit.longestMs, ...(prior && { prior }) });
  const connection = new Connection(client, transport, log, onListed, { login, roots, sampling, secrets });
  // Before the listing, so that no change in between is missed.
  if (connection.era === "modern") void listen(client, connection, log);
  await connection.list(limit.signal);
  if (connection.era === "legacy" && client.getServerCapabilities()?.logging)
    client.setLoggingLevel("info").catch((cause) => log.add("host", `Its log level was not set: ${cause}`));
  return connection;
}
