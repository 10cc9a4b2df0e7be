import type { StoredSettings } from "@/lib/protocol/settings";
import type { DB } from "./schema";

/** Whether a setting says how Meguri is set up, and not what somebody has written. */
const isSetUp: Record<
  keyof StoredSettings | "prices" | "presets" | "mcp-server-secrets" | "mcp-own-servers" | "hooks",
  boolean
> = {
  rules: true,
  defaultModel: true,
  limits: true,
  retention: true,
  titles: true,
  recordWire: true,
  agentTools: true,
  prices: true,
  presets: true,
  "mcp-server-secrets": true,
  "mcp-own-servers": true,
  hooks: true,
  instructions: false,
  displayName: false,
};

/** Of the system, in PostgreSQL: when everything was deleted last. */
export const emptiedKey = "emptied";

/** The sign-ins of people to servers, one for each. */
export const keptPrefix = "mcp-login:";

/** The settings of people that stay when everything is deleted; one that is not named goes. Those of the system all stay. */
export const keptSettings: readonly string[] = Object.entries(isSetUp).flatMap(([key, stays]) =>
  stays ? key : [],
);

/** Of which all rows stay: people, who stay signed in, and so do their programs. A session comes after its person. */
export const keptTables: readonly (keyof DB)[] = [
  "mcp_approval",
  // Which MCP servers there are, and what is accepted of their tools.
  "document",
  "account_user",
  "account_session",
  "account_credential",
  "account_passkey",
  "account_verification",
  "account_invitation",
  "account_audit",
  // Their settings are still to go.
  "deleted_person",
  "api_token",
];
