import { type ChildProcess, spawn } from "node:child_process";

/**
 * Runs in a separate process: when the pipe from this process closes, for any reason, it kills the groups that it was
 * told of.
 */
const source = `
const groups = new Set();
let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) line[0] === "+" ? groups.add(+line.slice(1)) : groups.delete(+line.slice(1));
});
process.stdin.on("close", () => {
  for (const group of groups) try { process.kill(-group, "SIGKILL"); } catch {}
});
`;

let watchdog: ChildProcess | undefined;
const watched = new Set<number>();

/** From now on the process group dies with this process, also after kill -9. */
export function watchGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === "win32") return;
  watched.add(pid);
  watchdog ??= startWatchdog();
  watchdog.stdin?.write(`+${pid}\n`);
}

/** The watchdog ends with the last group. */
export function unwatchGroup(pid: number | undefined): void {
  if (pid === undefined || !watched.delete(pid)) return;
  watchdog?.stdin?.write(`-${pid}\n`);
  if (watched.size > 0) return;
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function startWatchdog(): ChildProcess {
  const child = spawn(process.execPath, ["-e", source], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
    env: {} as NodeJS.ProcessEnv,
  });
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  child.unref();
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref();
  return child;
}
