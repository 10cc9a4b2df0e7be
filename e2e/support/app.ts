import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { defaultServers } from "./default-servers";

const root = join(import.meta.dirname, "..", "..");
const startTimeoutMs = 60_000;
const stopTimeoutMs = 45_000;

export interface StartOptions {
  /** Overrides; an empty string means "not set" to the application. */
  env?: Record<string, string>;
  /** Contents of its mcp-servers.json; without it filesystem, memory and sequential-thinking. */
  mcpConfig?: unknown;
  /** Default: the first words, as a title by the model is one more request after each first answer. */
  titles?: "model" | "words";
  /** Servers beside the three of the default file. */
  moreServers?: Record<string, McpServerConfig>;
}

/** A Meguri of its own: free port, empty data folder, its own MCP file. Answers 200 from the moment it is returned. */
export interface App {
  /** The printed address, with the token. */
  readonly url: string;
  readonly baseUrl: string;
  /** Where it listens itself: `baseUrl` may be the address of a balancer. */
  readonly ownUrl: string;
  readonly token: string;
  readonly dataDir: string;
  /** Path of its mcp-servers.json. */
  readonly mcpConfig: string;
  /** The folder that its filesystem server serves. */
  readonly sandbox: string;
  readonly pid: number;
  /** Everything it has printed, also before a restart. */
  output(): string;
  /** `fetch` with the launch token as Bearer; the path begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Ends it as a power cut would; its children are left to their own devices. */
  kill9(): Promise<void>;
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** Stops it if it runs and starts it again on the same port and data. */
  restart(env?: Record<string, string>): Promise<void>;
  /** Stops it and removes its data. */
  dispose(): Promise<void>;
}

/** Starts `scripts/serve.mjs` on the build that `npm test` has made in .next-test; E2E_DIST_DIR names another build. */
export async function startApp({
  env = {},
  mcpConfig,
  moreServers,
  titles = "words",
}: StartOptions = {}): Promise<App> {
  const home = mkdtempSync(join(tmpdir(), "meguri-e2e-"));
  const paths = {
    dataDir: join(home, "data"),
    sandbox: join(home, "sandbox"),
    mcpConfig: join(home, "mcp-servers.json"),
  };
  mkdirSync(paths.sandbox);
  writeFileSync(join(paths.sandbox, "welcome.md"), "# Welcome\n\nThis folder belongs to the test.\n");
  writeFileSync(paths.mcpConfig, JSON.stringify(mcpConfig ?? defaultServers(home, moreServers), null, 2));

  let output = "";
  const print = (text: string) => {
    output += text;
  };
  const baseEnv = { DATA_DIR: paths.dataDir, MCP_CONFIG: paths.mcpConfig, ...env };
  const remove = () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  let server = await launch(baseEnv, print).catch((error) => {
    remove();
    throw error;
  });
  const { baseUrl, ownUrl } = server;
  await setTitles(server, titles);

  const stop = async () => (await end(server.child, "SIGTERM")) ?? null;
  return {
    ...paths,
    ...{ baseUrl, ownUrl },
    url: server.url,
    token: server.token,
    get pid() {
      return server.child.pid ?? -1;
    },
    output: () => output,
    fetch: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${server.token}`);
      return fetch(baseUrl + path, { ...init, headers });
    },
    kill9: async () => void (await end(server.child, "SIGKILL")),
    stop,
    restart: async (more = {}) => {
      await stop();
      server = await launch({ ...baseEnv, ...more, PORT: new URL(ownUrl).port }, print);
    },
    dispose: async () => {
      await stop();
      remove();
    },
  };
}

/** Where it is refused (another host, a read-only disk), the test is not about titles. */
async function setTitles({ ownUrl, token }: Launched, titles: "model" | "words"): Promise<void> {
  if (titles === "model") return;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  await fetch(`${ownUrl}/api/settings`, {
    method: "PATCH",
    headers,
    body: JSON.stringify({ titles }),
  }).catch(() => {});
}

interface Launched {
  child: ChildProcess;
  url: string;
  baseUrl: string;
  ownUrl: string;
  token: string;
}

async function launch(env: Record<string, string>, print: (text: string) => void): Promise<Launched> {
  const child = spawn(process.execPath, ["scripts/serve.mjs"], {
    cwd: root,
    env: { ...cleanEnv(), ...env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A worker that Playwright ends must not leave its server behind.
  const killWithUs = () => child.kill("SIGKILL");
  process.once("exit", killWithUs);
  child.once("exit", () => process.off("exit", killWithUs));
  const url = await readUrl(child, print);
  const baseUrl = new URL(url).origin;
  const ownUrl = Number(env.PORT) > 0 ? `http://127.0.0.1:${env.PORT}` : baseUrl;
  return { child, url, baseUrl, ownUrl, token: new URL(url).searchParams.get("token") ?? "" };
}

/** Of ours only what a program needs: neither keys of the shell nor those of a .env file reach a test. */
function cleanEnv(): Record<string, string> {
  const kept = ["HOME", "LANG", "PATH", "TMPDIR", "SystemRoot", "npm_lifecycle_event"];
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  );
  const unset = [
    "HOST",
    "PUBLIC_URL",
    "APP_PORT",
    "APP_URL",
    "AUTH",
    "LAUNCH_TOKEN",
    "APP_SECRET",
    "APP_SECRET_CHANGED",
    "TOOL_APPROVAL",
    "PRIVATE_HOSTS",
    "MEMBERS_PRIVATE_HOSTS",
  ].concat(
    ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_BASE_URL"],
    ["OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    ["OLLAMA_BASE_URL", "OLLAMA_HOST", "DATABASE_URL", "REDIS_URL", "MCP_CONFIG_MODE"],
  );
  return {
    ...Object.fromEntries(unset.map((name) => [name, ""])),
    ...env,
    PATH: [join(root, "node_modules", ".bin"), env.PATH].join(delimiter),
    NEXT_DIST_DIR: process.env.E2E_DIST_DIR || ".next-test",
    PORT: "0",
    LOG_LEVEL: "warn",
    DEFAULT_MODEL: "demo/demo",
  };
}

function readUrl(child: ChildProcess, print: (text: string) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = "";
    const fail = (why: string) => reject(new Error(`Meguri ${why}:\n${seen}`));
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(`was not ready within ${startTimeoutMs} ms`);
    }, startTimeoutMs);
    // Not "exit": its last words may still be in the pipe by then.
    child.once("close", (code) => {
      clearTimeout(timer);
      fail(`ended with code ${code} before it was ready`);
    });
    const read = (data: string) => {
      print(data);
      seen += data;
      const url = /Meguri is ready: (\S+)/.exec(seen)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    };
    child.stdout?.setEncoding("utf8").on("data", read);
    child.stderr?.setEncoding("utf8").on("data", read);
  });
}

/** Ends the process by its id; SIGKILL follows when it does not go by itself. Returns its exit code. */
async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, "exit");
  child.kill(signal);
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await exited;
  clearTimeout(timer);
  return child.exitCode;
}
