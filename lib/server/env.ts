import { BlockList } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { modelIdPattern } from "@/lib/protocol/model-id";
import { toTrusted } from "./http/peer";
import { processesFor, runsFor, usableMemory } from "./memory";
import { checkOidc, oidcFields } from "./oidc-env";

/** Why the application cannot start: one sentence with the next step, printed as it is. */
export class StartError extends Error {
  override name = "StartError";
}

const text = z.string().trim().min(1);
const url = z.url({ protocol: /^https?$/, error: "must be a http:// or https:// address" });
/** With the number of a database or without: it means nothing here, as channels are those of the whole server. */
function isRedis(address: string): boolean {
  if (!URL.canParse(address) || !/^rediss?:\/\/[^/?#]+(\/\d*)?$/.test(address)) return false;
  const { hostname, username, password } = new URL(address);
  return hostname !== "" && !/%(?![0-9a-f]{2})/i.test(username + password);
}

/** Our own variables, as in docs/http-api.md, without those of the providers (`provider-env.ts`); an empty string counts as not set. */
const hosts = z
  .string()
  .default("")
  .transform((list) => list.split(",").flatMap((entry) => entry.trim() || []))
  .refine((list) => list.every((entry) => /^\S+:(\d+|\*)$/.test(entry)), "must be a list of host:port");

const variables = z.object({
  PORT: z.coerce.number({ error: "must be a port number" }).int().min(0).max(65_535).default(3000),
  HOST: text.default("127.0.0.1"),
  PUBLIC_URL: url.optional(),
  TRUSTED_PROXIES: z
    .string()
    .default("127.0.0.0/8, ::1")
    .transform((list) => toTrusted(list.split(",").flatMap((entry) => entry.trim() || [])))
    .refine(
      (list) => list !== null,
      "must be a list of addresses and networks, for example 10.0.0.5, 172.16.0.0/12",
    )
    .transform((list) => list ?? new BlockList()),
  APP_PORT: z.coerce.number({ error: "must be a port number" }).int().min(0).max(65_535).default(0),
  APP_URL: url.optional(),
  DATA_DIR: text.default("./data"),
  MCP_CONFIG: text.default("./mcp-servers.json"),
  MCP_CONFIG_MODE: z.enum(["database", "file"], { error: 'must be "database" or "file"' }).optional(),
  MCP_MAX_PROCESSES: z.coerce
    .number({ error: "must be a number, 1 or more" })
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .default(() => processesFor(usableMemory())),
  MAX_RUNS: z.coerce
    .number({ error: "must be a number, 1 or more" })
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .max(10_000, "must be 10000 or less")
    .default(() => runsFor(usableMemory())),
  DRAIN_SECONDS: z.coerce
    .number({ error: "must be a number of seconds" })
    .int("must be a whole number")
    .min(0, "must be 0 or more")
    .max(900, "must be 900 or less")
    .default(30),
  ATTACHMENTS_MAX_MB: z.coerce
    .number({ error: "must be a number of megabytes" })
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .default(10_240),
  AGENTS_DIR: text.default("./agents"),
  SKILLS_DIR: text.default("./skills"),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/, error: "must be a postgres:// address" }).optional(),
  REDIS_URL: text
    .refine(isRedis, "must be a redis:// or rediss:// address, for example redis://:password@host:6379")
    .optional(),
  /** Read by `endpoint-env.ts`. */
  MEGURI_ENDPOINTS: z.string().optional(),
  PROMPTED_JSON_MODELS: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((entry) => entry.trim() || []))
    .refine(
      (list) => list.every((entry) => modelIdPattern.test(entry)),
      'must be a list of "provider/name", for example openai/llama-3.2-3b',
    ),
  DEFAULT_MODEL: z
    .string()
    .regex(modelIdPattern, 'must be "provider/name", for example google/gemini-2.5-flash')
    .optional(),
  AUTH: z.enum(["local", "accounts"], { error: 'must be "local" or "accounts"' }).default("local"),
  ...oidcFields,
  LAUNCH_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  TOOL_APPROVAL: z.enum(["ask", "allow"], { error: 'must be "ask" or "allow"' }).default("ask"),
  PRIVATE_HOSTS: hosts,
  MEMBERS_PRIVATE_HOSTS: hosts,
  METRICS_TOKEN: z.string().min(16, "must have at least 16 characters").optional(),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"], { error: 'must be "debug", "info", "warn" or "error"' })
    .default("info"),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_SERVICE_NAME: text.default("meguri"),
  APP_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  /** For `npm run rotate-secret` alone. */
  NEW_APP_SECRET: z.string().min(32, "must have at least 32 characters").optional(),
  APP_SECRET_CHANGED: z.literal("accept", { error: 'must be "accept", for one start' }).optional(),
});

const schema = variables
  .superRefine(checkOidc)
  .superRefine(({ DATABASE_URL, REDIS_URL, APP_SECRET, MCP_CONFIG_MODE }, context) => {
    const refuse = (name: string, message: string) =>
      context.addIssue({ code: "custom", path: [name], message });
    if (DATABASE_URL !== undefined && APP_SECRET === undefined)
      refuse(
        "APP_SECRET",
        "must be set as well, as DATABASE_URL is, and be the same for every instance: the output of `openssl rand -base64 32`, for example, or what stands as appSecret in secrets.json of DATA_DIR",
      );
    if (DATABASE_URL === undefined && REDIS_URL !== undefined)
      refuse(
        "REDIS_URL",
        "is for several instances, which share a DATABASE_URL; set that as well, or remove REDIS_URL to start",
      );
    if (DATABASE_URL === undefined && MCP_CONFIG_MODE !== undefined)
      refuse(
        "MCP_CONFIG_MODE",
        "is for DATABASE_URL, without which the file of MCP_CONFIG is what counts; remove MCP_CONFIG_MODE to start",
      );
  });

export type Env = z.output<typeof variables>;

/** Never expanded in MCP files and never handed to a child process. */
export const reservedEnv: readonly string[] = Object.keys(variables.shape);

/** Reads our variables; throws `StartError` that names the variable and what it wants. */
export function readEnv(source: Readonly<Record<string, string | undefined>>): Env {
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ""));
  const parsed = schema.safeParse(set);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartError(`${issue?.path.join(".")} ${issue?.message}.`);
  }
  const env = parsed.data;
  return {
    ...env,
    DATA_DIR: resolve(env.DATA_DIR),
    MCP_CONFIG: resolve(env.MCP_CONFIG),
    AGENTS_DIR: resolve(env.AGENTS_DIR),
    SKILLS_DIR: resolve(env.SKILLS_DIR),
  };
}

/**
 * What instances that share a database have to have in common, and cannot keep in their folders; `APP_SECRET` is asked for by
 * `readEnv`, as commands on the data need it too. Throws `StartError` that names the variable and how to set it.
 */
export function checkShared({ DATABASE_URL, PUBLIC_URL, LAUNCH_TOKEN, AUTH, PORT }: Env): void {
  if (DATABASE_URL === undefined) return;
  if (PUBLIC_URL === undefined)
    throw new StartError(
      `PUBLIC_URL must be set as well, as DATABASE_URL is: the address that people type, for example https://meguri.example.com, or http://127.0.0.1:${PORT} on this machine alone.`,
    );
  if (AUTH === "local" && LAUNCH_TOKEN === undefined)
    throw new StartError(
      "LAUNCH_TOKEN must be set as well, as DATABASE_URL is, and be the same for every instance: the output of `openssl rand -hex 24`, for example, or what stands as launchToken in secrets.json of DATA_DIR.",
    );
}

/** Addresses that people use to reach us: loopback names with our own port, and that of `PUBLIC_URL`. */
export function allowedHosts({ PORT, PUBLIC_URL }: Pick<Env, "PORT" | "PUBLIC_URL">): Set<string> {
  const hosts = new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${PORT}`));
  // A browser leaves the default port out of Host.
  if (PORT === 80) for (const name of ["127.0.0.1", "localhost", "[::1]"]) hosts.add(name);
  if (PUBLIC_URL) hosts.add(new URL(PUBLIC_URL).host);
  return hosts;
}

/** Without a slash at the end. */
export function publicUrl({
  HOST,
  PORT,
  PUBLIC_URL,
}: Pick<Env, "PORT" | "PUBLIC_URL"> & { HOST?: string }): string {
  // One that stands for all addresses is none to go to.
  const name = HOST === "::1" ? "[::1]" : HOST === "localhost" ? HOST : "127.0.0.1";
  return (PUBLIC_URL ?? `http://${name}:${PORT}`).replace(/\/+$/, "");
}

/** Where apps of MCP servers run, for a browser that opened this host; undefined where that cannot be known. */
export function appOrigin(
  {
    HOST,
    APP_PORT,
    APP_URL,
    PUBLIC_URL,
  }: Pick<Env, "APP_PORT" | "APP_URL" | "PUBLIC_URL"> & { HOST?: string },
  host: string | null,
): string | undefined {
  if (APP_URL) return new URL(APP_URL).origin;
  // Behind a proxy a browser does not reach a port of this machine.
  if (APP_PORT === 0 || (PUBLIC_URL && host?.toLowerCase() === new URL(PUBLIC_URL).host)) return undefined;
  return publicUrl({ PORT: APP_PORT, ...(HOST && { HOST }), PUBLIC_URL: undefined });
}

/**
 * Where pages of models run: the listener of apps, by the other name of this machine. Where a browser isolates
 * sites that can be another process, in which a program that never ends holds up nobody.
 */
export function programOrigin(env: Parameters<typeof appOrigin>[0], host: string | null): string | undefined {
  const origin = appOrigin(env, host);
  const name = host?.replace(/:\d+$/, "").toLowerCase();
  if (!origin || (name !== "127.0.0.1" && name !== "localhost")) return origin;
  const { hostname, port } = new URL(origin);
  if (hostname !== "127.0.0.1" && hostname !== "localhost") return origin;
  return `http://${name === "localhost" ? "127.0.0.1" : "localhost"}:${port}`;
}
