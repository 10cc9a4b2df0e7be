import { setTimeout as wait } from "node:timers/promises";
import type { PriorDiscovery } from "@modelcontextprotocol/client";
import type { Launch } from "@/lib/mcp/config/launch";
import type { Connection } from "@/lib/mcp/connection/connection";
import { type OpenOptions, openConnection } from "@/lib/mcp/connection/open-connection";
import { watchHealth } from "@/lib/mcp/connection/watch-health";
import { explainFault } from "@/lib/mcp/faults/explain-fault";
import type { Fault } from "@/lib/mcp/faults/fault";
import { runsPackage, type StartLimit, type StartTimes, startLimit } from "@/lib/mcp/faults/start-limit";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { ExitError, StdioTransport } from "@/lib/mcp/transport/stdio-transport";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { type LaunchSetup, loginFor, prepareLaunch } from "./prepare-launch";
import type { Presence } from "./presence";
import type { LimitedProcess, ProcessLimit } from "./process-limit";
import { RestartPolicy } from "./restart-policy";

export interface ConnectSetup
  extends LaunchSetup,
    StartTimes,
    Omit<OpenOptions, "log" | "prior" | "login" | "onListed" | "limit"> {
  /** The first pause before a server is started again; it doubles. */
  backoffMs: number;
  processLimit: ProcessLimit;
  /** Each bounds how many connections are being opened at once, to what this is. */
  openLimitsOf?(hash: string, launch: Launch): readonly ProcessLimit[];
  /** Whose connections these are: while they are away nothing is tried again. */
  presence?: Pick<Presence, "whenThere"> | undefined;
}

/** The server that connections are made for, with the events of its connections. */
export interface ConnectionOwner {
  readonly name: string;
  readonly config: McpServerConfig;
  /** Of the form of the entry that was approved. */
  readonly hash: string;
  readonly log: LogRing;
  readonly sleepCycle: LimitedProcess;
  login: ServerLogin | undefined;
  /** What an earlier connection found out about the server. */
  readonly discovery: PriorDiscovery | undefined;
  /** Resolves, where that takes a moment, when it can be used. */
  onConnected(connection: Connection): void | Promise<void>;
  /** Something was listed after the first listing of a connection, again or in addition. */
  onRelisted(): void;
  /** The download of its package has begun or ended. */
  onInstalling(installing: boolean): void;
  onDisconnect(connection: Connection): void;
  /** `served`: it had been connected before it failed. */
  onFailure(fault: Fault, served: boolean): void;
}

/** Connects, and reconnects after each loss, until the signal fires or it gives up; then no process is left. */
export async function keepConnected(
  server: ConnectionOwner,
  { guard, ...rest }: ConnectSetup,
  signal: AbortSignal,
): Promise<void> {
  const isOwned = rest.isOwned?.(server.name) ?? false;
  // What the operator's servers may reach is not for those of members.
  const privateHosts = isOwned ? [] : rest.privateHosts;
  // Nor what an identity provider says of them.
  const logins = isOwned && rest.logins ? { ...rest.logins, vouching: undefined } : rest.logins;
  const setup = { ...rest, privateHosts, logins, guard: { ...guard, isDiscreet: isOwned } };
  const policy = new RestartPolicy(setup.backoffMs, server.config.url === undefined);
  while (!signal.aborted) {
    const started = Date.now();
    const end = await connectAndServe(server, setup, signal);
    if (signal.aborted) return;
    const livedMs = Date.now() - started;
    const fault = policy.after(end.fault);
    server.onFailure(fault, end.served);
    if (fault.final) return;
    await wait(policy.pause(livedMs), undefined, { signal, ref: false }).catch(() => {});
    // A use of the server itself, as a call that goes on, counts as well.
    if (!server.sleepCycle.inUse) await setup.presence?.whenThere(signal);
  }
}

/** Resolves with the reason when the connection has ended or could not be made. */
async function connectAndServe(
  server: ConnectionOwner,
  setup: ConnectSetup,
  signal: AbortSignal,
): Promise<{ fault: Fault; served: boolean }> {
  const { log } = server;
  let launch: Launch | undefined;
  let served = false;
  let reason: unknown;
  let release = () => {};
  const opening: (() => void)[] = [];
  try {
    launch = prepareLaunch(server, setup);
    const ownHosts =
      launch.kind === "http" ? await setup.privateHostsOf(server.name, launch.url, signal) : [];
    signal.throwIfAborted();
    const approved = launch.kind === "http" ? launch.privateHosts : [];
    const privateHosts = [...ownHosts, ...approved, ...setup.privateHosts];
    server.login = loginFor(server.name, launch, setup, privateHosts, server.login);
    log.tokens = () => server.login?.secrets() ?? [];
    // Before its place among the processes, which it must not keep from others while it waits.
    for (const limit of setup.openLimitsOf?.(server.hash, launch) ?? [])
      opening.push(await limit.acquire(server.sleepCycle, signal));
    if (launch.kind === "stdio") release = await admit(server, setup, signal);
    await server.login?.load();
    const { login, discovery: prior } = server;
    const limit = limitOf(server, launch, setup, signal);
    const options = { ...setup, privateHosts, log, login, prior, limit, onListed: () => relist(server) };
    const connection = await openConnection(launch, options).finally(limit.end);
    for (const opened of opening.splice(0)) opened();
    served = true;
    reason = await serve(server, connection, signal);
  } catch (cause) {
    reason = cause;
  } finally {
    release();
    for (const opened of opening) opened();
  }
  const fault = explainFault(reason, launch);
  return { served, fault: { ...fault, message: log.redact(fault.message) } };
}

async function admit(
  { name, log, sleepCycle }: ConnectionOwner,
  { processLimit }: ConnectSetup,
  signal: AbortSignal,
): Promise<() => void> {
  const admitted = processLimit.acquire(sleepCycle, signal);
  if (processLimit.isQueued(sleepCycle)) log.add("host", processLimit.refusal(name));
  return admitted;
}

/** A limit that the entry sets holds for the whole start, a download included. */
function limitOf(
  server: ConnectionOwner,
  launch: Launch,
  setup: ConnectSetup,
  signal: AbortSignal,
): StartLimit {
  const own = server.config.initTimeout;
  const times = own === undefined ? setup : { ...setup, timeoutMs: own, installMs: own };
  const installs = launch.kind === "stdio" && runsPackage(launch);
  return startLimit(times, installs, signal, (isInstalling) => server.onInstalling(isInstalling));
}

/** Called from timers and event handlers, where an error would end this process. */
function relist(server: ConnectionOwner): void {
  try {
    server.onRelisted();
  } catch (cause) {
    server.log.add("host", `The new list could not be taken up: ${cause}`);
  }
}

/** Resolves with the reason once the connection is lost or stopped, and closed. */
async function serve(server: ConnectionOwner, connection: Connection, signal: AbortSignal): Promise<unknown> {
  const { transport } = connection;
  const stopWatching = server.config.url === undefined ? () => {} : watchHealth(connection);
  const stopped = Promise.withResolvers<unknown>();
  const stop = () => stopped.resolve(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    if (signal.aborted) stop();
    const connected = signal.aborted ? undefined : server.onConnected(connection);
    if (connected) await Promise.race([connected, connection.whenClosed, stopped.promise]);
    const reason = await Promise.race([connection.whenClosed, stopped.promise]);
    const exit = transport instanceof StdioTransport ? transport.exit : undefined;
    return exit ? new ExitError(exit) : reason;
  } finally {
    signal.removeEventListener("abort", stop);
    stopWatching();
    server.onDisconnect(connection);
    await connection.close();
  }
}
