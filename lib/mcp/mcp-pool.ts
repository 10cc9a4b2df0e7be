import type { ToolBox } from "@/lib/agent/ports";
import type { McpDefinitions } from "@/lib/mcp/definitions/definitions";
import type { EntriesOptions } from "@/lib/mcp/entries/entries";
import type { McpFile } from "@/lib/mcp/entries/server-file";
import type { McpLibrary } from "@/lib/mcp/library/library";
import type { McpServerItem, McpServerList, McpToolItem } from "@/lib/protocol/mcp";
import type { McpLogLine, McpTriedCall } from "@/lib/protocol/mcp-offers";
import type { CallWatch } from "./call-by-hand";
import type { ToolBoxOptions } from "./calls/tool-box";
import type { SecretMemory } from "./config/expand-variables";
import type { ServerIcon } from "./connection/icon";
import type { LoginSetup } from "./oauth/types";
import type { McpSignIns } from "./sign-ins";
import type { LogPiece } from "./transport/log-ring";

/** The lock file with accepted tool definitions is beside `configPath` (`x.json` -> `x.lock.json`). */
export interface PoolOptions extends EntriesOptions {
  /** What `${dataFolder}` of the file stands for; `data` in the root unless told. */
  dataDir?: string;
  /** Where `${env:NAME}` and `${NAME}` are looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** Names that are never expanded nor handed to a child: our own variables and provider keys. */
  reservedEnv: readonly string[];
  /** `host:port` of private addresses that may be reached besides those of approved servers. */
  privateHosts: readonly string[];
  /** How people and this host sign in to servers; without it none can be signed in to. */
  logins?: LoginSetup;
  /** Where `${secret:NAME}` is looked up; without it there are none. */
  secrets?: SecretMemory;
  /** Called when a server has left the file: what is kept for it elsewhere ends with it. */
  removed?(name: string): Promise<void>;
  version: string;
  /** How many local servers run at once, 32 unless told; for one more, the longest idle one goes to sleep. */
  maxProcesses?: number;
  log(level: "debug" | "info" | "warn" | "error", message: string, details?: Record<string, unknown>): void;
}

/**
 * The MCPClient pool, one in a process: one MCP client and connection per server whatever the number of runs, tabs and
 * reloads. A local server that nobody uses goes to sleep: its process ends, what it offers stays listed, and the next
 * use starts it.
 */
export interface McpPool {
  /** Reads the file and starts connecting; resolves before any server has answered. */
  start(): Promise<void>;
  list(): McpServerList;
  server(name: string): McpServerItem | undefined;
  /** Called after any visible change, at most every 100 ms. Returns how to stop listening. */
  onChange(listener: () => void): () => void;
  /**
   * Tools that are listed now, of the named servers (default all). Calls go to the live connection, also after a
   * reconnect or a sleep, and only to the definition they were judged by: the call's `definition`, else the one that stood then.
   */
  toolBox(
    options: { servers?: readonly string[] } & Pick<ToolBoxOptions, "open" | "inFlight" | "sample">,
  ): ToolBox;
  /** By qualified name; undefined for a tool that nobody offers. */
  tool(qualifiedName: string): { server: string; item: McpToolItem } | undefined;
  /** The same; where a server that may have it is being connected, waits for that as long as a call would (5 s). */
  toolWhenReady(
    qualifiedName: string,
    signal: AbortSignal,
  ): Promise<{ server: string; item: McpToolItem } | undefined>;
  /** Whether the file wants the calls of this server one after another (`"toolExecution": "sequential"`). */
  runsInOrder(server: string): boolean;
  /** Whether models are to find this tool by a search only: as was chosen for its server by name, else its `"deferred"`. */
  isDeferred(qualifiedName: string, chosen?: Readonly<Record<string, boolean>>): boolean;
  /** `instructions` of servers that are ready, asleep or coming back, to be labelled in the system prompt. */
  instructions(servers?: readonly string[]): { server: string; text: string }[];
  /** Their definitions, and which of them were accepted. */
  definitions: McpDefinitions;
  /** The file in which they stand. */
  file: McpFile;
  signIns: McpSignIns;
  /** What they have besides tools. */
  library: McpLibrary;
  restart(name: string): Promise<void>;
  /** Ends the process of a local server that nobody uses now; "not_ready" where that cannot be. */
  sleep(name: string): Promise<void>;
  /** What must not leave with a text: values of `env`, of secret-looking headers and of such parameters of `url`, variables put in, and tokens of sign-ins; 8 characters and more. */
  secrets(): string[];
  /** Absolute folders and files of this machine that entries name, variables put in. */
  folders(): string[];
  /** stderr and protocol messages, newest last, a bounded tail. */
  logs(name: string): McpLogLine[];
  /** The same after a mark, to be followed. */
  logAfter(name: string, mark: string | undefined): LogPiece | undefined;
  /** Adds a line of the host. */
  note(name: string, text: string): void;
  /** Calls a tool outside of a run: by hand, or for an app; where a definition is named, that one and no other. */
  call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    more?: Partial<CallWatch> & { definition?: string },
  ): Promise<McpTriedCall>;
  /** A picture of the server, once it is connected; fetched once for each connection. */
  icon(name: string): Promise<ServerIcon | undefined>;
  /** Ends every child and connection; resolves within 5 s. */
  close(): Promise<void>;
}

/** The same by the name of the design: who holds it speaks to all servers, each through an MCP client of its own. */
export type MCPClient = McpPool;
