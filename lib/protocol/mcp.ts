import type { Role } from "./accounts";
import type { Page } from "./http";

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
  /** Without it a folder of its own in the data folder, or that of the project where the command names something in it. */
  cwd?: string;
  url?: string;
  headers?: Record<string, string>;
  disabled?: boolean;
  /** Whose role is not among these does not have the server; without it everybody has it, and so does the one person of `AUTH=local`. */
  roles?: Role[];
  /** `user`: a process for each person, who alone reads and writes in its data folder; without it one for everybody. Of local servers only. */
  scope?: "shared" | "user";
  /** Where several instances share a database, each may run a process of this local server; without it none does. */
  perInstance?: boolean;
  /** Own names of tools that are switched off. */
  disabledTools?: string[];
  /** Limit of one call in ms. */
  timeout?: number;
  /** Limit of a start in ms, installing included; without it 20 s, and 5 minutes for what `npx` and the like may have to fetch first. */
  initTimeout?: number;
  /** `sequential`: its calls run one after another. */
  toolExecution?: "parallel" | "sequential";
  /** Folders that the server is told to work in (MCP roots); it is not held to them. */
  roots?: string[];
  /** The server may ask the model of a conversation to write something (MCP sampling); a person is asked each time. */
  sampling?: boolean;
  /** Its tools may leave the loop of a workflow agent (`_meta["meguri/escalate"]: true` of a result). */
  mayEscalate?: boolean;
  /** Models find its tools by a search only, so that these take nothing of what they can read. */
  deferred?: boolean;
  /** `host:port` of private addresses that an HTTP server and its sign-in may lead to besides its own. */
  privateHosts?: string[];
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
  /**
   * Without a person: `client_credentials`, or `jwt_bearer` with an `assertion` (workload identity). `id_jag`: what the
   * identity provider that people sign in with here says of them (enterprise-managed authorization).
   */
  grant?: "authorization_code" | "client_credentials" | "jwt_bearer" | "id_jag";
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
  /** `shared`: one connection, and for a local server one process, for everybody who uses this installation. `user`: each has their own. */
  scope: "shared" | "user";
  /** Who has added it: the operator, in the file, or the person with this id, who alone has it. */
  owner: string;
  /** A server of this name that the person has added rests: the operator's has taken its place. */
  hidesOwn: boolean;
  enabled: boolean;
  status: McpServerStatus;
  /** It is connecting, and its command may be fetching what it runs: nothing has come from it for some seconds. */
  installing: boolean;
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
  /** Tools that it lists and that cannot be used, with the reason, in a sentence each. */
  toolFaults: string[];
  /** Own names of accepted tools that it lists no more. */
  removedTools: string[];
  prompts: number;
  resources: number;
  lastError: { code: string; message: string } | null;
  /** When and how its process last ended by itself after it had been ready; null once it is started by hand. */
  lastCrash: { message: string; at: string } | null;
  /** Null where nobody can sign in: a local process, or a token of its own in `headers`. */
  login: McpLoginState | null;
  /** Those that the entry names, and those that are stored for it; their values are never handed out. */
  secrets: { name: string; stored: boolean; used: boolean }[];
  latencyMs: number | null;
  pid: number | null;
  /** When the state was entered. */
  since: string;
}

/**
 * `issuer`: who granted the access; `scope`: how much of it; `privateHost`: the `host:port` in our own network to which the
 * sign-in leads and which is not allowed yet, of a server that is there itself.
 */
export interface McpLoginState {
  signedIn: boolean;
  /** When a person last did; null after signing out. */
  signedInAt: string | null;
  issuer: string | null;
  scope: string | null;
  privateHost: string | null;
}

/** Exactly what would be started or connected. */
export interface McpApprovalForm {
  argv?: string[];
  envNames?: string[];
  env?: McpApprovalValue[];
  cwd?: string;
  url?: string;
  headerNames?: string[];
  headers?: McpApprovalValue[];
  oauth?: McpApprovalValue[];
  /** Environment variables whose values go to an HTTP server; each is confirmed by name (`POST …/approve`). */
  sends?: string[];
  /** The host they go to, as the address is written. */
  sendsTo?: string;
  /** Folders that it is told of. */
  roots?: string[];
  sampling?: boolean;
  /** Private addresses that it may lead to. */
  privateHosts?: string[];
}

/** `value`: references such as `${env:NAME}` as they are written, `••••` in place of what is literal. */
export interface McpApprovalValue {
  name: string;
  value: string;
}

/**
 * `GET /api/mcp/servers`; `configPath`: where the entries are kept, for people; `isManaged`: they are in a file that is
 * deployed, and not changed here. `fileError` is set while what is kept cannot be read and an older version is in force.
 */
export interface McpServerList extends Page<McpServerItem> {
  configPath: string;
  isManaged: boolean;
  fileError: { message: string; line: number | null } | null;
}
