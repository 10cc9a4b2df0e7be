import type { McpOAuthConfig, McpServerConfig, McpToolItem } from "@/lib/protocol/mcp";

/** What the suite passes to a client: the address of its server as last argument, the rest in the environment. */
interface Context {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  /** Of a workload. */
  valid_jwt?: string;
  /** Of a person who has signed in at the identity provider of their company. */
  idp_id_token?: string;
  idp_client_id?: string;
  idp_token_endpoint?: string;
  toolCalls?: WantedCall[];
}

export interface WantedCall {
  name: string;
  arguments: Record<string, unknown>;
}

/** The address that identifies the suite's clients (CIMD); it is never fetched. */
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";

const url = process.argv.at(-1) ?? "";
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
export const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Context;

export const hasSkills = scenario.startsWith("sep-2640-");
/** One scenario is about a host that was not asked to load anything. */
export const loadsSkills = hasSkills && !scenario.endsWith("no-prefetch");

/** The scenario's server as an entry of the file, with the credentials that the scenario provides. */
export function serverEntry(): McpServerConfig {
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  const oauth: McpOAuthConfig = {
    ...(clientId && { clientId }),
    ...(clientSecret && { clientSecret }),
    ...(privateKey && { privateKey, algorithm: context.signing_algorithm ?? "ES256" }),
    ...(scenario.includes("client-credentials") && { grant: "client_credentials" }),
    ...(context.idp_id_token && { grant: "id_jag" }),
    ...(context.valid_jwt && { grant: "jwt_bearer", assertion: context.valid_jwt }),
    clientMetadataUrl,
  };
  return { url, oauth };
}

/** The calls that the scenario asks for, else one call of each tool. */
export function wantedCalls(tools: readonly Pick<McpToolItem, "name" | "inputSchema">[]): WantedCall[] {
  return (
    context.toolCalls ??
    tools.map(({ name, inputSchema }) => ({
      name,
      // One scenario checks the schema that was received.
      arguments:
        name === "json_schema_echo"
          ? { schema: tools.find((other) => other.name !== name)?.inputSchema }
          : (sampleOf(inputSchema) as Record<string, unknown>),
    }))
  );
}

/** What a person enters into a form: required fields only, so that defaults are left to the client. */
export function fillForm(schema: Record<string, unknown> = {}): Record<string, unknown> {
  const sample = (sampleOf(schema) ?? {}) as Record<string, unknown>;
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.fromEntries(Object.entries(sample).filter(([name]) => required.has(name)));
}

/** A value that fits the schema of a test's tool. */
function sampleOf(schema: Record<string, unknown>): unknown {
  switch (schema.type) {
    case "object": {
      const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
      return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, sampleOf(inner)]));
    }
    case "number":
    case "integer":
      return 5;
    case "boolean":
      return true;
    case "array":
      return [];
    default:
      return "test";
  }
}

/** Whether a tool's answer says that a person has to sign in, or sign in again. */
export const wantsSignIn = (status: string, text: string): boolean =>
  status === "error" && /sign in|sign-in/i.test(text);

/** The suite starts dozens of clients at the same time: on a busy machine a connection may need more than the usual time. */
export const maxRestarts = 2;

/** How often a person would sign in before they give up. */
export const maxSignIns = 3;
