import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { unwatchGroup, watchGroup } from "./watchdog";

/**
 * How a server's descendants are held together: in a process namespace of the kernel, which dies as a whole when
 * its first process or this one dies, or in a process group, which a watchdog kills when this process dies.
 */
export type Isolation = "namespace" | "group";

const namespaceArgs = [
  ...["--pdeathsig", "KILL", "--", "unshare", "--user", "--map-current-user"],
  ...["--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
];

let probe: Promise<Isolation> | undefined;

/** The better one of those that work here; found out once per process. */
export function detectIsolation(): Promise<Isolation> {
  probe ??= new Promise((resolve) => {
    if (process.platform !== "linux") return resolve("group");
    execFile("setpriv", [...namespaceArgs, "true"], { timeout: 5_000 }, (error) =>
      resolve(error ? "group" : "namespace"),
    );
  });
  return probe;
}

export interface SpawnRequest {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
  isolation: Isolation;
}

/** A child that is the head of all its descendants. */
export interface ProcessTree {
  child: ChildProcessWithoutNullStreams;
  /** Resolves when the head has ended; then no descendant is left. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Ends the whole tree at once, or asks it to end where that is possible. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** Rejects when the system cannot start the command. */
export async function spawnTree({ command, args, cwd, env, isolation }: SpawnRequest): Promise<ProcessTree> {
  const [file, argv]: [string, readonly string[]] =
    isolation === "namespace" ? ["setpriv", [...namespaceArgs, command, ...args]] : [command, args];
  // Detached: a group of its own, which Ctrl-C at the terminal does not reach before the runs are drained.
  const child = spawn(file, argv, {
    cwd,
    env: env as NodeJS.ProcessEnv,
    stdio: "pipe",
    detached: true,
    windowsHide: true,
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => {
      killGroup(child.pid, "SIGKILL");
      if (isolation === "group") unwatchGroup(child.pid);
      resolve({ code, signal });
    }),
  );
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  child.on("error", () => {}); // a signal that came too late
  if (isolation === "group") watchGroup(child.pid);
  return {
    child,
    ended,
    // The head of a namespace hears no SIGTERM, and SIGKILL ends everything under it.
    kill: (signal) =>
      isolation === "namespace" && signal === "SIGTERM" ? undefined : killGroup(child.pid, signal),
  };
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // Nobody is left in it.
  }
}
