import type { Budget, LoopStopReason, NoticeKind, PendingRequest, StepRecord, Usage } from "./chunk";
import type { ToolCallId } from "./ids";
import type { ChatMessage, ToolContent, ToolResult } from "./message";

/** Shapes of the JSON that the HTTP API answers with. Times are ISO 8601 UTC unless the name ends in `Ms`. */

export interface ErrorBody {
  error: { code: string; message: string; details?: unknown };
}

export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export type RunStatus = "running" | "completed" | "stopped" | "waiting" | "failed" | "interrupted";

export interface ConversationItem {
  id: string;
  title: string;
  leafId: string | null;
  activeRunId: string | null;
  /** State of the newest run of the current branch, for the sidebar. */
  status: RunStatus | null;
  pinned: boolean;
  createdAt: string;
  updatedAt: string;
}

export type StoredMessage = ChatMessage & {
  id: string;
  parentId: string | null;
  runId: string | null;
  model: string | null;
  createdAt: string;
  /** Ids of the messages with the same parent, oldest first, itself included: "2 / 3" in the page. */
  siblings: string[];
};

/** `GET /api/conversations/:id`: the newest messages of the current branch, oldest first, and the runs they came from. */
export interface ConversationDetail extends ConversationItem {
  messages: StoredMessage[];
  /** Whether older messages can be had with `?before=<id of the first>`. */
  hasMore: boolean;
  runs: RunItem[];
  /** Ids of the answers to the last message, while the newest run has brought none of its own: it failed, or begins. */
  otherAnswers?: string[];
}

/** One loop of a run. */
export interface RunIteration {
  index: number;
  startedAt: string;
  /** From the start of the loop to the first text, reasoning or call; null when none came. */
  timeToFirstTokenMs: number | null;
  /** Of the model's turn; null while it goes on or when it broke. */
  latencyMs: number | null;
  /** From the first to the last piece of reasoning, or to what came after it; absent when there was none. */
  reasoningMs?: number;
  usage: Usage;
  toolCalls: RunToolCall[];
  /** Path of the workflow agent. */
  agent?: string;
  /** What was told meanwhile: retries, repairs, shortened results; the first 20. */
  notices?: { kind: NoticeKind; message: string }[];
}

export interface RunToolCall {
  id: ToolCallId;
  name: string;
  startedAt: string | null;
  durationMs: number | null;
  status: ToolResult["status"] | "open";
}

/** `GET /api/runs/:id`. */
export interface RunItem {
  id: string;
  conversationId: string;
  messageId: string;
  status: RunStatus;
  model: string;
  agent: string | null;
  /** The run that this one goes on from, after an answer, a resume or a fork. */
  continues: string | null;
  startedAt: string;
  endedAt: string | null;
  iterations: RunIteration[];
  /** Calls of the run it continues that got their result here. */
  answeredCalls: RunToolCall[];
  /** Of a workflow: the steps and loops that ended in this run. */
  steps?: readonly StepRecord[];
  stopReason: LoopStopReason | null;
  usage: Usage;
  error: { code: string; message: string; retryAt?: number } | null;
  pending: PendingRequest[];
}

export interface ModelItem {
  /** `provider/name`, what `model` of a chat request takes. */
  id: string;
  provider: string;
  name: string;
  capabilities: { tools: boolean; images: boolean; reasoning: boolean; contextWindow: number | null };
  reachable: boolean;
  /** Why it cannot be used, with the next step. */
  reason?: string;
  /** What a person has said of it. */
  traits?: ModelTraits;
}

/** What a person says of a model, in place of what is found out or told by its name. */
export interface ModelTraits {
  /** `own`: it calls tools by itself. `json`: it is asked to write its calls as JSON. */
  toolCalls?: "own" | "json";
  /** Whether it can see images. */
  images?: boolean;
}

/** `GET /api/models`; `defaultModel` is the one used when a chat request names none. */
export interface ModelList extends Page<ModelItem> {
  defaultModel: string;
}

export type McpServerStatus =
  | "connecting"
  | "ready"
  | "needs_approval"
  | "needs_login"
  | "failed"
  | "disabled"
  | "sleeping";

export type McpServerConfig = {
  type?: string;
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  disabled?: boolean;
  /** Own names of tools that are switched off. */
  disabledTools?: string[];
  /** Limit of one call in ms. */
  timeout?: number;
  /** `sequential`: its calls run one after another. */
  toolExecution?: "parallel" | "sequential";
  /** Folders that the server is told to work in (MCP roots); it is not held to them. */
  roots?: string[];
  /** The server may ask the model of a conversation to write something (MCP sampling); a person is asked each time. */
  sampling?: boolean;
  /** Models find its tools by a search only, so that these take nothing of what they can read. */
  deferred?: boolean;
  /** How to sign in where the server asks for it; without it the host registers itself. */
  oauth?: McpOAuthConfig;
} & Record<string, unknown>;

export interface McpOAuthConfig {
  /** Of a client that was registered by hand. */
  clientId?: string;
  clientSecret?: string;
  /** https address of a client metadata document (CIMD) of one's own, for where the host itself has none in the web. */
  clientMetadataUrl?: string;
  /** Instead of a secret: PKCS#8 PEM, and the algorithm it signs with (default RS256). */
  privateKey?: string;
  algorithm?: string;
  /** Separated by spaces. */
  scope?: string;
  /** Without a person: `client_credentials`, or `jwt_bearer` with an `assertion` (workload identity). */
  grant?: "authorization_code" | "client_credentials" | "jwt_bearer";
  /** JWT by which the platform says who this workload is. */
  assertion?: string;
}

export interface McpToolItem {
  /** The server's own name. */
  name: string;
  /** What the model sees, `server__tool`. */
  qualifiedName: string;
  title: string | null;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: McpToolAnnotations;
  enabled: boolean;
  definition: Pinned;
  /** Of the definition as it is listed now; goes back when it is accepted. */
  hash: string;
  /** Absent for a tool that says nothing of apps: model and apps may call it then. */
  ui?: { resourceUri?: string; visibility: ("model" | "app")[] };
  /** A person wants this definition kept from being called. */
  blocked: boolean;
  /** About how many tokens its description and schema take of what a model can read. */
  tokens: number;
}

/**
 * `changed`: differs from the definition that was accepted; `added`: has come since the server was first met. Calls of
 * both ask first.
 */
export type Pinned = "pinned" | "changed" | "added";

/** `GET /api/mcp/servers/:name/definitions`. */
export interface McpDefinitionItem {
  /** The server's own name. */
  tool: string;
  state: Pinned | "removed";
  blocked: boolean;
  accepted: AcceptedDefinition | null;
  /** As the server lists it now. */
  present: { hash: string; definition: McpDefinition } | null;
  /** Accepted before, newest first. */
  history: AcceptedDefinition[];
}

export interface AcceptedDefinition {
  hash: string;
  definition: McpDefinition;
  /** ISO; null where nobody noted it. */
  acceptedAt: string | null;
}

/** What is pinned of a tool, names sorted: `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, `ui`. */
export type McpDefinition = Record<string, unknown>;

/** Hints of the server about its tool; nothing more than hints. */
export interface McpToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

export interface McpServerItem {
  name: string;
  /** As in the file, values of `env` and secrets in `headers` and `url` masked. */
  config: McpServerConfig;
  transport: "stdio" | "http";
  enabled: boolean;
  status: McpServerStatus;
  /** Hash of the form that waits for approval or is approved; goes back with `POST …/approve`. */
  approvalHash: string;
  /** What the approval is about, with nothing left out and control characters escaped. */
  approvalForm: McpApprovalForm;
  protocolVersion: string | null;
  era: "legacy" | "modern" | null;
  /** As the server calls itself. */
  title: string | null;
  /** There may be one at `GET /api/mcp/servers/:name/icon`. */
  hasIcon: boolean;
  instructions: string | null;
  tools: McpToolItem[];
  /** Own names of accepted tools that it lists no more. */
  removedTools: string[];
  prompts: number;
  resources: number;
  lastError: { code: string; message: string } | null;
  /** Null where nobody can sign in: a local process, or a token of its own in `headers`. */
  login: McpLoginState | null;
  /** Those that the entry names, and those that are stored for it; their values are never handed out. */
  secrets: { name: string; stored: boolean; used: boolean }[];
  latencyMs: number | null;
  pid: number | null;
  /** When the state was entered. */
  since: string;
}

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
}

/** `POST /api/mcp/prompts/get`. */
export interface McpPromptText {
  description: string | null;
  messages: { role: "user" | "assistant"; content: ToolContent[] }[];
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

/** `issuer`: who granted the access; `scope`: how much of it. */
export interface McpLoginState {
  signedIn: boolean;
  issuer: string | null;
  scope: string | null;
}

/** Exactly what would be started or connected. */
export interface McpApprovalForm {
  argv?: string[];
  envNames?: string[];
  cwd?: string;
  url?: string;
  headerNames?: string[];
  /** Folders that it is told of. */
  roots?: string[];
  sampling?: boolean;
}

/** `GET /api/mcp/servers`; `fileError` is set while the file on disk is broken and an older version is in force. */
export interface McpServerList extends Page<McpServerItem> {
  configPath: string;
  fileError: { message: string; line: number | null } | null;
}

/** `POST /api/mcp/servers?preview=true` and without. */
export interface McpImport {
  /** As whose configuration the text was read. */
  form: McpImportForm;
  servers: McpImportServer[];
  /** What was left out or changed, in words. */
  notes: string[];
}

export type McpImportForm = "mcpServers" | "vscode" | "librechat" | "chat-ui" | "map" | "single";

export interface McpImportServer {
  name: string;
  config: McpServerConfig;
  exists: boolean;
  /** For each of them `${secret:NAME}` stands in the entry. */
  secrets: McpImportSecret[];
}

/** `found`: its value stood in the text; else a person fills it in. */
export interface McpImportSecret {
  name: string;
  /** Where it stands, such as `env.TOKEN`. */
  field: string;
  label: string | null;
  found: boolean;
}

export interface ShareItem {
  id: string;
  conversationId: string;
  title: string;
  url: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  views: number;
}

/** The frozen copy behind a link; holds no owner, server address, header or system prompt. */
export interface ShareSnapshot {
  title: string;
  createdAt: string;
  messages: StoredMessage[];
  runs: RunItem[];
}

export type ToolRule = { pattern: string; effect: "allow" | "ask" | "deny" };

export type ProviderName = "google" | "openai" | "anthropic" | "ollama";

/** How a provider of models is reached; keys are never shown. */
export interface ProviderItem {
  id: ProviderName;
  /** Where its key or address was set; null when it has neither. */
  source: "settings" | "environment" | null;
  /** The last four characters of the key in force; null without a key. */
  keyEnd: string | null;
  /** null: the provider's own. */
  baseURL: string | null;
}

/** `POST /api/providers/:id/test`. */
export interface ProviderTest {
  ok: boolean;
  /** What it offers, when it answered. */
  models?: number;
  /** What is wrong and what to do, when it did not. */
  message?: string;
}

/** US dollars for a million tokens. */
export interface Price {
  input: number;
  /** Of tokens that the provider had cached; as `input` where it is not named. */
  cachedInput?: number;
  output: number;
}

export interface PriceItem extends Price {
  /** `provider/name`; a `*` at the end stands for anything. */
  model: string;
  source: "yours" | "shipped";
}

/** What holds for a run whose request does not say otherwise. */
export interface RunLimits {
  /** Turns of the model. */
  maxIterations?: number;
  /** Of the whole run. */
  timeoutMs?: number;
  /** Until the first word of a turn. */
  firstTokenMs?: number;
  /** Between two pieces of a turn. */
  betweenTokensMs?: number;
  /** Of one tool call; a server's own `timeout` counts beside it. */
  toolTimeoutMs?: number;
  toolExecution?: "parallel" | "sequential";
  budget?: Budget;
}

/** `GET /api/settings`; `PATCH` takes each field but `toolApproval`; of `prices` those that are yours. */
export interface SettingsItem {
  rules: ToolRule[];
  defaultModel: string | null;
  toolApproval: "ask" | "allow";
  providers: ProviderItem[];
  limits: RunLimits;
  prices: PriceItem[];
}

/** A file that has been uploaded (`POST /api/attachments`) and can be named by a message. */
export interface AttachmentItem {
  id: string;
  name: string;
  /** What it is by its content. */
  mimeType: string;
  /** Bytes. */
  size: number;
}

/** `GET /api/agents`: a workflow agent that can be chosen, in the languages of the page. */
export interface AgentItem {
  id: string;
  name: { en: string; ja: string };
  description: { en: string; ja: string };
}
