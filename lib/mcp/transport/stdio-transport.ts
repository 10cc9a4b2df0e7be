import { mkdir } from "node:fs/promises";
import {
  type JSONRPCMessage,
  type JSONRPCResultResponse,
  serializeMessage,
  specTypeSchemas,
  type Transport,
} from "@modelcontextprotocol/client";
import { DEFAULT_INHERITED_ENV_VARS } from "@modelcontextprotocol/client/stdio";
import { beforeMcpReceive, beforeMcpSend } from "@/lib/faults/fault-points";
import type { StdioLaunch } from "@/lib/mcp/config/launch";
import { drainLines } from "./drain-lines";
import { findCommand } from "./find-command";
import { assertHeld, type MayCall } from "./held-calls";
import type { LogRing } from "./log-ring";
import { networkVariables } from "./network-variables";
import { type Isolation, type ProcessTree, spawnTree } from "./process-tree";
import { type LineReader, readLines } from "./read-lines";
import { StatedCause } from "./stated-cause";

const graceMs = 2_000;
const terminateMs = 1_000;

export interface StdioOptions {
  launch: StdioLaunch;
  /** The variables of this process; a child gets those that the SDK lists, those of the network, and those of its entry. */
  env: Readonly<Record<string, string | undefined>>;
  isolation: Isolation;
  log: LogRing;
  mayCall?: MayCall | undefined;
  /** Called for each message of the server. */
  onMessage?: () => void;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** What it wrote to stderr about the reason. */
  said?: string | undefined;
}

/** The process ended by itself. */
export class ExitError extends Error {
  override name = "ExitError";
  constructor(
    readonly exit: Exit,
    options?: ErrorOptions,
  ) {
    super(
      exit.signal ? `The server ended by ${exit.signal}.` : `The server ended with exit code ${exit.code}.`,
      options,
    );
  }
}

/** A server as a child process: each message is a line, and its descendants end with it. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport["onmessage"];
  /** Together with `pid` it tells the SDK that a first probe without an answer means an older server. */
  readonly stderr = null;
  /** How the process ended; undefined while it runs. */
  exit: Exit | undefined;
  private tree: ProcessTree | undefined;
  private reader: LineReader | undefined;
  private starting: Promise<void> | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: StdioOptions) {}

  get pid(): number | null {
    return this.tree?.child.pid ?? null;
  }

  start(): Promise<void> {
    this.starting = this.open();
    return this.starting;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.tree?.child.stdin;
    if (!stdin || this.exit || stdin.destroyed) throw new Error("The server is not running.");
    beforeMcpSend?.();
    if ("method" in message && message.method === "tools/call") assertHeld(this.options.mayCall);
    if ("method" in message && "id" in message) this.reader?.expect();
    if (stdin.write(serializeMessage(message))) return;
    await new Promise<void>((resolve) => stdin.once("drain", resolve).once("close", resolve));
  }

  /** Closes its input, which ends a well-behaved server; kills the tree after 2 s. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async open(): Promise<void> {
    const { launch, isolation, log } = this.options;
    const env = this.childEnvironment();
    for (const folder of launch.makes) await mkdir(folder, { recursive: true, mode: 0o700 });
    const command = await findCommand(launch.command, env.PATH ?? "", launch.cwd);
    if (this.closing) throw new Error("Closed before it was started.");
    const tree = await spawnTree({ command, args: launch.args, cwd: launch.cwd, env, isolation });
    this.tree = tree;
    const { stdin, stdout, stderr } = tree.child;
    for (const stream of [stdin, stdout, stderr]) stream.on("error", (error) => this.onerror?.(error));
    this.reader = readLines(
      stdout,
      (line) => this.receive(line),
      () => {
        log.add("host", "Stopped: it sent a message of more than 10 MB.");
        tree.kill("SIGKILL");
      },
    );
    const cause = new StatedCause();
    drainLines(stderr, (line) => {
      cause.add(line);
      log.add("stderr", line);
    });
    const drained = new Promise((resolve) => tree.child.once("close", resolve));
    void tree.ended.then(async ({ code, signal }) => {
      this.exit = {
        code,
        signal,
        get said() {
          return cause.text;
        },
      };
      await Promise.race([drained, delay(200)]);
      this.onclose?.();
    });
  }

  private async end(): Promise<void> {
    await this.starting?.catch(() => {});
    if (!this.tree) return;
    const { child, ended, kill } = this.tree;
    child.stdin.end();
    const timers = [
      setTimeout(() => kill("SIGTERM"), terminateMs),
      setTimeout(() => kill("SIGKILL"), graceMs),
    ];
    await ended;
    for (const timer of timers) clearTimeout(timer);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
  }

  private childEnvironment(): Record<string, string> {
    const inherited = [...DEFAULT_INHERITED_ENV_VARS, ...networkVariables].map(
      (name) => [name, this.options.env[name]] as const,
    );
    return {
      ...Object.fromEntries(inherited.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      ...this.options.launch.env,
    };
  }

  private receive(line: string): void {
    if (line.trim() === "") return;
    try {
      beforeMcpReceive?.();
    } catch {
      this.tree?.kill("SIGKILL");
      return;
    }
    let message: JSONRPCMessage;
    try {
      if (!line.startsWith("{")) throw new SyntaxError("No JSON object.");
      message = readMessage(JSON.parse(line));
    } catch {
      this.options.log.add("protocol", `Not a message, passed over: ${line.slice(0, 500)}`);
      return;
    }
    try {
      this.options.onMessage?.();
      this.onmessage?.(message);
    } catch (cause) {
      // An error in one message must not cost the next message, nor, thrown from a stream event, this process.
      this.options.log.add("protocol", `A message could not be dealt with: ${cause}`);
    }
  }
}

/** Throws for other values. The SDK validates an answer in full later; a quick check here saves time. */
function readMessage(value: unknown): JSONRPCMessage {
  if (isResult(value)) return value;
  const read = specTypeSchemas.JSONRPCMessage["~standard"].validate(value);
  if (read instanceof Promise || read.issues) throw new TypeError("No message.");
  return read.value;
}

function isResult(value: unknown): value is JSONRPCResultResponse {
  const { jsonrpc, id, method, error, result } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0" || method !== undefined || error !== undefined) return false;
  return (typeof id === "number" || typeof id === "string") && typeof result === "object" && result !== null;
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
