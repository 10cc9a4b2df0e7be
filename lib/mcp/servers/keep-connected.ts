import { setTimeout as wait } from "node:timers/promises";
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { Launch } from "@/lib/mcp/config/launch";
import type { Connection } from "@/lib/mcp/connection/connection";
import { type OpenOptions, openConnection } from "@/lib/mcp/connection/open-connection";
import { watchHealth } from "@/lib/mcp/connection/watch-health";
import { explainFault, type Fault } from "@/lib/mcp/faults/explain-fault";
import { runsPackage, type StartLimit, type StartTimes, startLimit } from "@/lib/mcp/faults/start-limit";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { ExitError, StdioTransport } from "@/lib/mcp/transport/stdio-transport";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { type LaunchSetup, loginFor, prepareLaunch } from "./prepare-launch";
import type { Berths, Tenant } from "./process-limit";
import { RestartPolicy } from "./restart-policy";

export interface RunSetup
  extends LaunchSetup,
    StartTimes,
    Omit<OpenOptions, "log" | "prior" | "login" | "changed" | "limit"> {
  /** The first wait before a server is started again; it doubles. */
  backoffMs: number;
  berths: Berths;
}

/** A server that is to run, and what it is told of its connections. */
export interface Runner extends Tenant {
  readonly name: string;
  readonly config: McpServerConfig;
  readonly log: LogRing;
  login: ServerLogin | undefined;
  /** What an earlier connection found out about the server. */
  readonly prior: PriorDiscovery | undefined;
  adopt(connection: Connection): void;
  /** After the first listing of a connection something was listed, once more or in addition. */
  relisted(): void;
  /** Its package is being fetched, or is so no more. */
  installs(isInstalling: boolean): void;
  lost(connection: Connection): void;
  fail(fault: Fault, served: boolean): void;
}

/** Connects, and connects again after each loss, until it is told to stop or gives up; no process is left then. */
export async function keepConnected(server: Runner, setup: RunSetup, life: AbortSignal): Promise<void> {
  const policy = new RestartPolicy(setup.backoffMs, server.config.url === undefined);
  while (!life.aborted) {
    const started = Date.now();
    const end = await connectAndServe(server, setup, life);
    if (life.aborted) return;
    const { fault, waitMs } = policy.after(end.fault, Date.now() - started);
    server.fail(fault, end.served);
    if (waitMs === undefined) return;
    await wait(waitMs, undefined, { signal: life, ref: false }).catch(() => {});
  }
}

/** Resolves when it is over, with the reason. */
async function connectAndServe(
  server: Runner,
  setup: RunSetup,
  life: AbortSignal,
): Promise<{ fault: Fault; served: boolean }> {
  const { log } = server;
  let launch: Launch | undefined;
  let served = false;
  let reason: unknown;
  let leave = () => {};
  try {
    launch = prepareLaunch(server, setup);
    const own = launch.kind === "http" ? await setup.privatePlaces(server.name, launch.url, life) : [];
    life.throwIfAborted();
    const approved = launch.kind === "http" ? launch.privateHosts : [];
    const privateHosts = [...own, ...approved, ...setup.privateHosts];
    server.login = loginFor(server.name, launch, setup, privateHosts, server.login);
    log.tokens = () => server.login?.secrets() ?? [];
    if (launch.kind === "stdio") leave = await setup.berths.take(server, life);
    await server.login?.load();
    const { login, prior } = server;
    const limit = limitOf(server, launch, setup, life);
    const options = { ...setup, privateHosts, log, login, prior, limit, changed: () => relist(server) };
    const connection = await openConnection(launch, options).finally(limit.end);
    served = true;
    reason = await serve(server, connection, life);
  } catch (cause) {
    reason = cause;
  } finally {
    leave();
  }
  const fault = explainFault(reason, launch);
  return { served, fault: { ...fault, message: log.blot(fault.message) } };
}

/** A limit of the entry's own is kept as it is, whatever it has to do in that time. */
function limitOf(server: Runner, launch: Launch, setup: RunSetup, life: AbortSignal): StartLimit {
  const own = server.config.initTimeout;
  const times = own === undefined ? setup : { ...setup, timeoutMs: own, installMs: own };
  const installs = launch.kind === "stdio" && runsPackage(launch);
  return startLimit(times, installs, life, (isInstalling) => server.installs(isInstalling));
}

/** Called from timers and handlers, where an error would end the process. */
function relist(server: Runner): void {
  try {
    server.relisted();
  } catch (cause) {
    server.log.add("host", `The new list could not be taken up: ${cause}`);
  }
}

/** Until the connection is lost or given up; resolves with the reason when nothing of it is left. */
async function serve(server: Runner, connection: Connection, life: AbortSignal): Promise<unknown> {
  const { transport } = connection;
  const stopWatching = server.config.url === undefined ? () => {} : watchHealth(connection);
  const given = Promise.withResolvers<unknown>();
  const giveUp = () => given.resolve(life.reason);
  life.addEventListener("abort", giveUp, { once: true });
  try {
    if (life.aborted) giveUp();
    else server.adopt(connection);
    const reason = await Promise.race([connection.closed, given.promise]);
    const exit = transport instanceof StdioTransport ? transport.exit : undefined;
    return exit ? new ExitError(exit) : reason;
  } finally {
    life.removeEventListener("abort", giveUp);
    stopWatching();
    server.lost(connection);
    await connection.close();
  }
}
