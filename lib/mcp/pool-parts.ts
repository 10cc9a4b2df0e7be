import type { McpDefinitionItem, McpServerConfig } from "@/lib/protocol/mcp";
import type { FileText, McpFileChanges } from "@/lib/protocol/mcp-file";
import type {
  McpCompletion,
  McpPromptItem,
  McpPromptText,
  McpResourceContent,
  McpResourceItem,
  McpSkillItem,
} from "@/lib/protocol/mcp-offers";
import type { ToolContent } from "@/lib/protocol/message";
import type { EntryChange } from "./config/edit-servers";
import type { AppResource } from "./connection/app-resource";
import type { ShownDefinition } from "./definitions";
/** Definitions of tools. Throws `McpConfigError`: "stale" for a hash that is another by now, "not_found" for a tool that is not there. */
export interface McpDefinitions {
  /** What was accepted of each tool of a server, and what the server says now. */
  list(server: string): McpDefinitionItem[];
  /** Takes the definitions into the lock file, all or none; for a tool that is listed no more its accepted hash, and it is forgotten. */
  accept(server: string, shown: readonly ShownDefinition[]): Promise<void>;
  /** The same for one tool by its qualified name, with its hash (`McpToolItem.hash`). */
  acceptTool(qualifiedName: string, hash: string): Promise<void>;
  /** Calls of the tool are refused until another definition comes or this one is accepted. */
  block(server: string, shown: ShownDefinition): Promise<void>;
}

/** The `mcpServers` file. What changes an entry throws `McpConfigError`, and then nothing is changed. */
export interface McpFile {
  /** Adds entries; "exists" for a name that is there. Nothing new is started before approval. */
  add(servers: Record<string, McpServerConfig>): Promise<void>;
  /** Replaces an entry; masked values (as handed out by `list`) mean "as before". */
  update(name: string, config: McpServerConfig): Promise<void>;
  /** Changes an entry as it stands in the file at that moment; masked values in what comes back mean "as before". */
  edit(name: string, change: EntryChange): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Approves the form with this hash (`McpServerItem.approvalHash`), and starts it; "stale" when it is another by now,
   * "invalid" when `sends` lacks an environment variable whose value would go to the server.
   */
  approve(name: string, hash: string, sends?: readonly string[]): Promise<void>;
  /** The whole file, with a reference in place of each value that is not plainly harmless. */
  export(): Record<string, unknown>;
  /** The file as it stands on disk, for a person to edit as a whole: references stay, what is secret in clear is masked. */
  show(): Promise<FileText>;
  /** What putting this text in the place of the file would change; nothing is changed. Throws as `replace`. */
  compare(text: string): Promise<McpFileChanges>;
  /**
   * Puts the text in the place of the file. "file_changed" when `version` is not the present one, "invalid" with the
   * line when the text is no such file. What is removed is forgotten as `remove` does.
   */
  replace(edited: FileText): Promise<McpFileChanges>;
}

export interface McpSignIns {
  /** Begins a sign-in: where the browser has to go. What comes back to `redirectUrl` goes to `finish`. */
  begin(name: string, redirectUrl: string): Promise<URL>;
  /** Takes an authorization response, once; the name of the server it was for, which is connected anew or says why not. Throws `LoginNeededError` when nobody waits for it. */
  finish(response: URLSearchParams): Promise<string>;
  /** Forgets the tokens. */
  forget(name: string): Promise<void>;
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
