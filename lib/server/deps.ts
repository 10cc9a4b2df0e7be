import { type Logger, pino } from "pino";
import { Agent } from "undici";
import { createFlights } from "@/lib/mcp/flights";
import { leanFetch } from "@/lib/mcp/lean-fetch";
import { createMcpPool } from "@/lib/mcp/pool";
import type { Flights, McpPool } from "@/lib/mcp/types";
import { openProviders } from "@/lib/providers/providers";
import { type ProviderConfig, type Providers, UnknownModelError } from "@/lib/providers/types";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/types";
import { type Env, readEnv, reservedEnv } from "./env";
import { StartError } from "./errors";
import { RunRegistry } from "./runs/run-registry";
import { loadSecrets, type Secrets } from "./secrets";
import { version } from "./version";

/** Everything that lives as long as the process. This file is the only place that constructs adapters. */
export interface Deps {
  env: Env;
  secrets: Secrets;
  log: Logger;
  store: Store;
  providers: Providers;
  pool: McpPool;
  flights: Flights;
  runs: RunRegistry;
}

// Next.js may bundle each route on its own: a module-level singleton would exist several times.
const key = Symbol.for("meguri.deps");
const holder = globalThis as { [key]?: Promise<Deps> };

/** The one set of adapters of this process; opens them at the first call. */
export function getDeps(): Promise<Deps> {
  holder[key] ??= open();
  return holder[key];
}

async function open(): Promise<Deps> {
  const env = readEnv(process.env);
  const log = pino({ level: env.LOG_LEVEL, base: null });
  const store = await openStore({ dataDir: env.DATA_DIR }).catch((cause: Error) => {
    throw cause.name === "StoreError" || cause.name === "DataDirInUseError"
      ? new StartError(cause.message)
      : cause;
  });
  // After the store: it makes the folder, and only its owner may write there.
  const secrets = loadSecrets(env.DATA_DIR, env);
  const providers = configureProviders(env);
  // Servers that stand in the operator's file at the very first start are approved by standing there; later ones ask.
  const pool = createMcpPool({
    configPath: env.MCP_CONFIG,
    root: process.cwd(),
    dataDir: env.DATA_DIR,
    approvals: store.approvals,
    trustFile: !(await store.settings.get<boolean>("system", "started")),
    env: process.env,
    reservedEnv,
    privateHosts: env.PRIVATE_HOSTS,
    version,
    log: (level, message, details) => log[level](details ?? {}, message),
  });
  await pool.start();
  // Only now: a start that failed before has approved nothing.
  await store.settings.set("system", "started", true);
  return {
    env,
    secrets,
    log,
    store,
    providers,
    pool,
    flights: createFlights(),
    runs: new RunRegistry(),
  };
}

function configureProviders(env: Env): Providers {
  try {
    return openProviders(providerConfig(env), { fetch: leanFetch(new Agent(modelConnections)) });
  } catch (cause) {
    throw cause instanceof UnknownModelError ? new StartError(`DEFAULT_MODEL: ${cause.message}`) : cause;
  }
}

/** Deadlines are the run's; a model that thinks may be silent for minutes. */
const modelConnections = { headersTimeout: 10 * 60_000, bodyTimeout: 0 };

function providerConfig(env: Env): ProviderConfig {
  const googleKey = env.GOOGLE_GENERATIVE_AI_API_KEY ?? env.GEMINI_API_KEY ?? env.GOOGLE_API_KEY;
  const ollama = env.OLLAMA_BASE_URL ?? env.OLLAMA_HOST;
  return {
    ...(googleKey && {
      google: {
        apiKey: googleKey,
        ...(env.GOOGLE_GENERATIVE_AI_BASE_URL && { baseURL: env.GOOGLE_GENERATIVE_AI_BASE_URL }),
      },
    }),
    ...((env.OPENAI_API_KEY || env.OPENAI_BASE_URL) && {
      openai: {
        ...(env.OPENAI_API_KEY && { apiKey: env.OPENAI_API_KEY }),
        ...(env.OPENAI_BASE_URL && { baseURL: env.OPENAI_BASE_URL }),
      },
    }),
    ...(env.ANTHROPIC_API_KEY && {
      anthropic: {
        apiKey: env.ANTHROPIC_API_KEY,
        ...(env.ANTHROPIC_BASE_URL && { baseURL: env.ANTHROPIC_BASE_URL }),
      },
    }),
    ollama: ollama ? { baseURL: /^https?:/.test(ollama) ? ollama : `http://${ollama}` } : {},
    ...(env.DEFAULT_MODEL && { defaultModel: env.DEFAULT_MODEL }),
    promptedJson: env.PROMPTED_JSON_MODELS,
  };
}
