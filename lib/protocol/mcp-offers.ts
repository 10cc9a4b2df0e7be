import type { ErrorBody } from "./http";
import type { ToolContent, ToolResult } from "./message";

/** `GET /api/mcp/prompts`. */
export interface McpPromptItem {
  server: string;
  name: string;
  title: string | null;
  description: string | null;
  arguments: { name: string; title: string | null; description: string | null; required: boolean }[];
}

/** `GET /api/mcp/resources`; of a template `uri` is what its variables are put into (RFC 6570). */
export interface McpResourceItem {
  server: string;
  uri: string;
  name: string;
  title: string | null;
  description: string | null;
  mediaType: string | null;
  /** Bytes. */
  size: number | null;
}

/** `GET /api/mcp/skills`; `files` is null where the server does not say which there are. */
export interface McpSkillItem {
  server: string;
  /** Of its SKILL.md. */
  uri: string;
  name: string;
  description: string;
  files: string[] | null;
  /** Of its SKILL.md; null where the server does not say it. */
  digest: string | null;
}

/** `POST /api/mcp/prompts/get`. */
export interface McpPromptText {
  description: string | null;
  messages: { role: "user" | "assistant"; content: ToolContent[] }[];
}

/** `POST /api/mcp/servers/:name/tools/:tool/call`. */
export type McpTriedCall = ToolResult & { durationMs: number };

/** A message of a call as it went over the wire (JSON-RPC); null where it is too much to be shown. */
export interface McpRawMessage {
  direction: "sent" | "received";
  message: unknown;
}

/** What is told while a tool is tried with `Accept: text/event-stream`; `result` or `failed` comes last. */
export type McpTryEvent =
  | { event: "progress"; data: { progress: number; total?: number; message?: string } }
  | { event: "message"; data: McpRawMessage }
  | { event: "result"; data: McpTriedCall }
  | { event: "failed"; data: ErrorBody["error"] };

/** Lines of a server's log, and how many before them were too many to be sent: `event: lines` of its stream. */
export interface McpLogEvent {
  lines: McpLogLine[];
  missed: number;
}

export interface McpLogLine {
  at: string;
  source: "stderr" | "protocol" | "host";
  text: string;
}

/** Arguments that are kept to try a tool with again: `GET /api/mcp/servers/:name/requests`. */
export interface McpSavedRequest {
  id: string;
  tool: string;
  name: string;
  args: Record<string, unknown>;
  savedAt: string;
}

/** One part of a resource as its server sent it. */
export type McpResourceContent = { uri: string; mimeType?: string } & ({ text: string } | { blob: string });

/** Hosts that an app names, by what it wants of them (`_meta.ui.csp`); each is a source of a Content-Security-Policy. */
export interface AppDomains {
  connect: string[];
  resource: string[];
  frame: string[];
}

/** `POST /api/mcp/apps/open`: an app of a server, and the pages of another origin in which it may run. */
export interface McpApp {
  html: string;
  /** It reaches nobody there. */
  page: string;
  /** It reaches the hosts that it names there; null where it names none. */
  openPage: string | null;
  domains: AppDomains;
  /** Named, and never allowed: this machine, private networks, plain http. */
  refused: string[];
  prefersBorder: boolean;
}

/** `POST /api/mcp/apps/call`: what came of it, or that a person is to be asked first. */
export type McpAppCall =
  | { result: ToolResult }
  | {
      ask: {
        reason: "rule" | "changed_definition";
        /** Goes back as `approved` with the same call. */
        definition: string;
      };
    };

/** `POST /api/mcp/complete`. */
export interface McpCompletion {
  values: string[];
  total: number | null;
  hasMore: boolean;
}
