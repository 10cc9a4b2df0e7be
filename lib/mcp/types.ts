import type { ToolBox } from "@/lib/agent/ports";
import { hasName } from "@/lib/protocol/has-name";
import type {
  McpDefinitionItem,
  McpServerConfig,
  McpServerItem,
  McpServerList,
  McpToolItem,
} from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import type {
  McpCompletion,
  McpLogLine,
  McpPromptItem,
  McpPromptText,
  McpResourceContent,
  McpResourceItem,
  McpSkillItem,
  McpTriedCall,
} from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import type { AppResource } from "./app-resource";
import type { Progress } from "./calls";
import type { ShownDefinition } from "./definitions";
import type { EntryChange } from "./edit-servers";
import type { OnMessage } from "./exchanges";

import type { ServerIcon } from "./icon";
import type { Inputs } from "./inputs";
import type { LoginSetup } from "./oauth/types";
import type { ToolBoxOptions } from "./tool-box";

/** What the pool keeps outside itself: hashes of approved server forms. */
export interface ApprovalMemory {
  all(): Promise<Map<string, string>>;
  set(name: string, hash: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** Secrets that are kept for each server apart: what one entry names, no other can. */
export interface SecretMemory {
  names(server: string): string[];
  get(server: string, name: string): string | undefined;
  /** All of a server that is removed. */
  forget(server: string): Promise<void>;
}

export interface PoolOptions {
  /** Absolute path of the `mcpServers` file; the lock file with pinned tool definitions lies beside it (`x.json` -> `x.lock.json`). */
  configPath: string;
  /** Relative commands, arguments and `cwd` of the file are meant from here: the folder of the project. */
  root: string;
  /** What `${dataFolder}` of the file stands for; `data` in the root unless told. */
  dataDir?: string;
  approvals: ApprovalMemory;
  /** Entries that stand in the file are approved by standing there: true at the first start with an empty database only. */
  trustFile: boolean;
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
  version: string;
  /** How many local servers run at once, 32 unless told; for one more, the longest idle one goes to sleep. */
  maxProcesses?: number;
  log(level: "debug" | "info" | "warn" | "error", message: string, details?: Record<string, unknown>): void;
}

/**
 * The one pool of a process: one connection per server whatever the number of runs, tabs and reloads. A local server
 * that nobody uses goes to sleep: its process ends, what it offers stays listed, and the next use starts it.
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
    options: { servers?: readonly string[] } & Pick<ToolBoxOptions, "open" | "flights" | "sample">,
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
  /** `instructions` of servers that are ready or asleep, to be labelled in the system prompt. */
  instructions(servers?: readonly string[]): { server: string; text: string }[];
  /** Takes the definition with this hash (`McpToolItem.hash`) into the lock file; "stale" when it is another by now. */
  acceptDefinition(qualifiedName: string, hash: string): Promise<void>;
  /** What was accepted of each tool of a server, and what the server says now. */
  definitions(server: string): McpDefinitionItem[];
  /** The same by own names, all or none; for a tool that is listed no more its accepted hash, and it is forgotten. */
  acceptDefinitions(server: string, shown: readonly ShownDefinition[]): Promise<void>;
  /** Calls of the tool are refused until another definition comes or this one is accepted. */
  blockDefinition(server: string, shown: ShownDefinition): Promise<void>;
  /** Adds entries to the file; throws `McpConfigError` with `code: "exists"` for a name that is there. Nothing new is started before approval. */
  add(servers: Record<string, McpServerConfig>): Promise<void>;
  /** Replaces an entry; masked values (as handed out by `list`) mean "as before". */
  update(name: string, config: McpServerConfig): Promise<void>;
  /** Changes an entry as it stands in the file at that moment; masked values in what comes back mean "as before". */
  edit(name: string, change: EntryChange): Promise<void>;
  remove(name: string): Promise<void>;
  /** The whole file, with a reference in place of each value that is not plainly harmless. */
  exportFile(): Record<string, unknown>;
  /** The file as it stands on disk, for a person to edit as a whole: references stay, what is secret in clear is masked. */
  showFile(): Promise<FileText>;
  /** What putting this text in the place of the file would change; nothing is changed. Throws as `replaceFile`. */
  compareFile(text: string): Promise<McpFileChanges>;
  /**
   * Puts the text in the place of the file. "file_changed" when `version` is not the present one, "invalid" with the
   * line when the text is no such file. What is removed is forgotten as `remove` does.
   */
  replaceFile(edited: FileText): Promise<McpFileChanges>;
  approve(name: string, hash: string): Promise<void>;
  restart(name: string): Promise<void>;
  /** Ends the process of a local server that nobody uses now; "not_ready" where that cannot be. */
  sleep(name: string): Promise<void>;
  /** Begins a sign-in: where the browser has to go. What comes back to `redirectUrl` goes to `finishLogin`. */
  login(name: string, redirectUrl: string): Promise<URL>;
  /** Takes an authorization response, once; the name of the server it was for, which is connected anew or says why not. Throws `LoginNeededError` when nobody waits for it. */
  finishLogin(response: URLSearchParams): Promise<string>;
  /** Forgets the tokens. */
  logout(name: string): Promise<void>;
  /** What must not leave with a text: values of `env`, of secret-looking headers and of such parameters of `url`, variables put in; 8 characters and more. */
  secrets(): string[];
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
  library: McpLibrary;
  /** Ends every child and connection; resolves within 5 s. */
  close(): Promise<void>;
}

/** What the servers have besides tools. Throws `McpConfigError` for a server that is not there, cannot be connected or fails. */
export interface McpLibrary {
  prompts(): McpPromptItem[];
  resources(): McpResourceItem[];
  templates(): McpResourceItem[];
  skills(): McpSkillItem[];
  /** A file of a skill, by default its SKILL.md; fails for one that is not what the skill's entry says. */
  readSkill(
    server: string,
    uri: string,
    file: string | undefined,
    signal: AbortSignal,
  ): Promise<ToolContent[]>;
  getPrompt(
    server: string,
    name: string,
    args: Record<string, string>,
    signal: AbortSignal,
  ): Promise<McpPromptText>;
  readResource(server: string, uri: string, signal: AbortSignal): Promise<ToolContent[]>;
  /** The same as the server sent it, for an app of that server. */
  readContents(server: string, uri: string, signal: AbortSignal): Promise<McpResourceContent[]>;
  /** The app at a `ui://` address. */
  readApp(server: string, uri: string, signal: AbortSignal): Promise<AppResource>;
  complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<McpCompletion>;
  /** Calls `onUpdate` with each change that the server tells of, over reconnects, until the signal fires; rejects where it tells of none. */
  watchResource(server: string, uri: string, signal: AbortSignal, onUpdate: () => void): Promise<void>;
}

export interface CompletionRequest {
  ref: { type: "prompt"; name: string } | { type: "resource"; uri: string };
  argument: { name: string; value: string };
  /** Arguments that are settled already. */
  context?: Record<string, string> | undefined;
}

/** Lines of a log after a mark; `missed`: how many came in between and are not kept any more. */
export interface LogPiece {
  lines: McpLogLine[];
  mark: string;
  missed: number;
}

/** Who looks on while a tool is tried by hand. */
export interface CallWatch {
  onProgress(progress: Progress): void;
  /** The call itself and its answer, as they go over the wire. */
  onMessage: OnMessage;
}

/** Calls that are on their way, by call id; outlives the run that started them. */
export interface Flights {
  has(id: string): boolean;
  /** What the server of a call in flight wants to know of a person. */
  inputs(id: string): Inputs | undefined;
  /** The result that a call in flight will have. */
  join<Result>(id: string): Promise<Result> | undefined;
  /** Starts a call; it is in flight until `fly` has ended, or until it is released, which fires the signal. */
  launch<Result>(id: string, fly: (signal: AbortSignal, inputs: Inputs) => Promise<Result>): Promise<Result>;
  /** The call has been answered from elsewhere, or nobody will: the server is told to stop. */
  release(id: string): void;
}

/** Says what is wrong with a server entry or the file, in one sentence with the next step. */
export class McpConfigError extends Error {
  static [Symbol.hasInstance] = hasName("McpConfigError");
  override name = "McpConfigError";
  constructor(
    readonly code:
      | "invalid"
      | "exists"
      | "not_found"
      | "stale"
      | "file_changed"
      | "blocked"
      | "file_broken"
      | "not_ready"
      | "failed",
    message: string,
    readonly path?: string,
    /** Of a whole text, counted from 1. */
    readonly line?: number,
  ) {
    super(message);
  }
}
