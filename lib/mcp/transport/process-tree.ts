import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { beforeSpawn } from "@/lib/faults/fault-points";
import { unwatchGroup, watchGroup } from "./watchdog";

/**
 * What ties a server's descendants together: a process namespace of the kernel, which is killed as a whole when its
 * first process or this process dies; or a process group, which a watchdog kills when this process dies.
 */
export type Isolation = "namespace" | "group";

const namespaceArgs = [
  ...["--pdeathsig", "KILL", "--", "unshare", "--user", "--map-current-user"],
  ...["--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--"],
];

let probe: Promise<Isolation> | undefined;

/** A namespace where the system supports it; detected once per process. */
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

/** A child process and all its descendants. */
export interface ProcessTree {
  child: ChildProcessWithoutNullStreams;
  /** Resolves when the child has ended; then no descendant is left. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Kills the whole tree, or asks it to end where that is possible. */
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

/** Rejects when the system cannot start the command. */
export async function spawnTree({ command, args, cwd, env, isolation }: SpawnRequest): Promise<ProcessTree> {
  beforeSpawn?.();
  const [file, argv]: [string, readonly string[]] =
    isolation === "namespace" ? ["setpriv", [...namespaceArgs, command, ...args]] : [command, args];
  // Detached, in a new process group: Ctrl-C in the terminal must not reach it before the runs are drained.
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
    // The first process of a namespace does not receive SIGTERM; SIGKILL ends all processes in it.
    kill: (signal) =>
      isolation === "namespace" && signal === "SIGTERM" ? undefined : killGroup(child.pid, signal),
  };
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, signal);
  } catch {
    // The group is empty.
  }
}
