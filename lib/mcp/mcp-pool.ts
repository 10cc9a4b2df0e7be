import type { ToolBox } from "@/lib/agent/ports";
import type { Definitions } from "@/lib/mcp/definitions/definitions";
import type { EntriesOptions } from "@/lib/mcp/entries/entries";
import type { ServerFile } from "@/lib/mcp/entries/server-file";
import type { ServerLibrary } from "@/lib/mcp/library/server-library";
import type { Role } from "@/lib/protocol/accounts";
import type { McpServerConfig, McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import type { McpLogLine, McpTriedCall } from "@/lib/protocol/mcp-offers";
import type { ByHand } from "./call-by-hand";
import type { ChangeListener } from "./change-notifier";
import type { SecretMemory } from "./config/expand-variables";
import type { SharedDocuments } from "./config/shared-documents";
import type { ServerIcon } from "./connection/icon";
import type { LoginSetup, Vouching } from "./oauth/login-setup";
import type { LoginMemory } from "./oauth/login-store";
import type { FoundTool, GivenTool, ToolBoxChoice } from "./offered-tools";
import type { OthersChanges } from "./others-changes";
import type { ServerSetup } from "./servers/managed-server";
import type { SignIns } from "./sign-ins";
import type { GuardOptions } from "./transport/guarded-fetch";
import type { MayCall } from "./transport/held-calls";
import type { LogPiece } from "./transport/log-ring";
import type { Isolation } from "./transport/process-tree";

/** The lock file with the accepted tool definitions is next to `configPath` (`x.json` -> `x.lock.json`). */
export interface PoolOptions extends EntriesOptions {
  /**
   * What several instances share: entries and accepted definitions are kept there, and the files are put in once. Local
   * servers run only where their entry says `perInstance` then. With `isManaged` the file goes on to say which servers
   * there are.
   */
  documents?: SharedDocuments;
  /** What `${dataFolder}` in the file means; by default `data` in the root. */
  dataDir?: string;
  /** Where `${env:NAME}` and `${NAME}` are looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** Variables that are never expanded nor passed to a child: those of this application, with its provider keys. */
  reservedEnv: readonly string[];
  /** `host:port` of private addresses that may be reached, in addition to those of approved servers. */
  privateHosts: readonly string[];
  /** The same for servers that people have added for themselves, for which the others do not count; none by default. */
  privateHostsOfOwned?: readonly string[];
  /** How people and this host sign in to servers; without it no server can be signed in to. */
  logins?: LoginSetup;
  /** Where `${secret:NAME}` is looked up; without it there are none. */
  secrets?: SecretMemory;
  /** What each person keeps for themselves; without it everybody is one person, and every connection is everybody's. */
  people?: PeopleMemory;
  /** A server was removed from the file: what is kept for it elsewhere has to be deleted. */
  onRemoved?(name: string): Promise<void>;
  /** Told of each call that has ended, for those who count them. */
  onCalled?: ServerSetup["onCalled"];
  version: string;
  /** How many local servers run at the same time, by default 32; to start one more, the longest idle one is put to sleep. */
  maxProcesses?: number;
  /** Without it calls may always be sent. */
  mayCall?: MayCall;
  log(level: "debug" | "info" | "warn" | "error", message: string, details?: Record<string, unknown>): void;
}

/** By person, for the servers that each has a connection of their own to. */
export interface PeopleMemory {
  logins(person: string): LoginMemory;
  secrets(person: string): SecretMemory;
  /** Undefined where nobody signs in with an identity provider. */
  vouching?(person: string): Vouching | undefined;
  /** The entries of servers that only this person has. */
  servers(person: string): ReadonlyMap<string, McpServerConfig>;
  /** Who has such servers. */
  owners(): Iterable<string>;
  /** Undefined while it is not known. */
  role(person: string): Role | undefined;
  /** Deletes what this person has kept for a server. */
  forgetOf(person: string, server: string): Promise<void>;
  /** Deletes what everybody has kept for a server. */
  forget(server: string): Promise<void>;
}

/** What only tests set. */
export interface PoolTuning {
  isolation?: Isolation;
  guard?: Pick<GuardOptions, "connect" | "lookup">;
  /** How long a server may take to connect and to list its tools. */
  timeoutMs?: number;
  /** How long a package may take to download, and after what time that is shown. */
  installMs?: number;
  installNoticeMs?: number;
  /** The first pause before a server is started again; it doubles. */
  backoffMs?: number;
  /** A local server that has not been used for this long is put to sleep. */
  idleMs?: number;
  /** The connections of a person who has not used them for this long are let go; 1 hour by default. */
  personIdleMs?: number;
  /** A server is not tried again for a person who has not been there for this long; 5 minutes by default. */
  personAwayMs?: number;
  /** For how many people there are connections at once, by default 500; more only while all of them are in use. */
  maxPeople?: number;
  /** A call ends after this time, whatever progress there is; 10 minutes by default. */
  longestCallMs?: number;
}

/**
 * The MCPClient pool, one in a process: one MCP client and one connection for each server, however many runs, tabs and
 * reloads there are. Where people have accounts each has a view of it (`of`), with connections of their own to remote servers and processes of their own of local ones with `"scope": "user"`. A local server that nobody uses is put to sleep: its process ends, what it offers stays listed, and
 * the next use starts it.
 */
export interface McpPool {
  /** Reads the file and starts connecting; resolves before any server has answered. */
  start(): Promise<void>;
  /** Takes up what other instances have changed, which happens every 2 s by itself: for whoever is told of a change. */
  lookForChanges(): Promise<void>;
  /**
   * The servers as this person has them: every other method of it acts as this person and nobody else. Connects what is theirs when it is
   * first asked for, which counts as a use. The pool itself where there are no people. Not to be kept for longer than a `hold`.
   */
  of(person: string): McpPool;
  /** Brings the servers that only this person has in line with their entries. */
  applyOwn(): void;
  /** This person has another role: what is not for it ends at once. Resolves when what they kept for it under a name of their own is forgotten. */
  applyRole(person: string): Promise<void>;
  /** What is known of a server that only this person had ends; resolves when nothing of it runs. */
  forgetOwn(name: string): Promise<void>;
  /** Keeps the connections of this person until the returned function is called; without it they are let go an hour after the last use. */
  hold(person: string): () => void;
  /** Ends the connections of this person. */
  drop(person: string): Promise<void>;
  /** The same, and deletes which tools they have accepted and what their own processes have written. */
  forgetPerson(person: string): Promise<void>;
  /** Whether everybody shares the connection to the server of this entry. */
  scopeOf(config: McpServerConfig): McpServerItem["scope"];
  /** What a person's secrets of this server, or of this form of its entry, are bound to; undefined where everybody shares them. */
  secretPlace(entry: string | McpServerConfig): string | undefined;
  list(): McpServerList;
  server(name: string): McpServerItem | undefined;
  /** That of `server`, for those who ask in each run: to describe a server with 500 tools takes 0.5 ms. */
  statusOf(name: string): McpServerItem["status"] | undefined;
  /** Called after any visible change, at most every 100 ms. Returns how to stop listening. */
  onChange(listener: ChangeListener): () => void;
  /**
   * The tools that the named servers (default all) list now. Calls use the live connection, also after a reconnect or a
   * sleep, and reach only the definition that they were judged by: the call's `definition`, else the one at that time.
   */
  toolBox(choice: ToolBoxChoice): ToolBox;
  /** The same tools for another program, which is told all that was accepted of each. */
  givenTools(servers?: readonly string[]): GivenTool[];
  /** By qualified name; undefined for a tool that no server offers. */
  tool(qualifiedName: string): FoundTool | undefined;
  /** The same; waits, as a call does, up to 5 s for a server that is connecting and may have the tool. */
  toolWhenReady(qualifiedName: string, signal: AbortSignal): Promise<FoundTool | undefined>;
  /** Whether calls to this server are sent one after another (`"toolExecution": "sequential"` of its entry). */
  runsInOrder(server: string): boolean;
  /** Whether models find this tool only by searching: as chosen for its server, else `"deferred"` of its entry. */
  isDeferred(qualifiedName: string, chosen?: Readonly<Record<string, boolean>>): boolean;
  /** `instructions` of servers that are ready, asleep or reconnecting, for the system prompt. */
  instructions(servers?: readonly string[]): { server: string; text: string }[];
  definitions: Definitions;
  file: ServerFile;
  signIns: SignIns;
  library: ServerLibrary;
  /** For whoever is told of what other instances have changed; entries, pins and approvals come by `lookForChanges`. */
  others: OthersChanges;
  restart(name: string): Promise<void>;
  /** Ends the process of a local server that nobody uses now; throws "not_ready" for any other. */
  sleep(name: string): Promise<void>;
  /**
   * What no text may disclose: values of `env`, of headers and `url` parameters that are named like secrets, of variables
   * put in, and tokens of sign-ins; only those of 8 characters and more.
   */
  secrets(): string[];
  /** Absolute paths of this machine that entries name, variables put in. */
  folders(): string[];
  /** Absolute paths of folders in which this local server finds files that are put there for it; none for one elsewhere. */
  fileRoots(server: string): string[];
  /** stderr and protocol messages, the newest 1,000, newest last. */
  logs(name: string): McpLogLine[];
  /** The lines after a mark, for a reader that follows the log. */
  logAfter(name: string, mark: string | undefined): LogPiece | undefined;
  /** Forgets the lines of all servers. */
  clearLogs(): void;
  /** Adds a line to the log of a server. */
  note(name: string, text: string): void;
  /** Calls a tool outside of a run, by hand or for an app. */
  call(
    server: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    more?: ByHand,
  ): Promise<McpTriedCall>;
  /** The icon of a server that has been connected; fetched once for each connection. */
  icon(name: string): Promise<ServerIcon | undefined>;
  /** Ends every child and connection, of a person's view those of the person; resolves within 5 s. */
  close(): Promise<void>;
}

/** The pool by its other name: to its user it is one client of all servers. */
export type MCPClient = McpPool;
