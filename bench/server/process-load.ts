import { execFileSync } from "node:child_process";

/** Memory of a process in MB. */
export function residentMb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

/** CPU time that a process has used, in ms; in steps of 10 ms or a whole second, as `ps` of the system counts. */
export function cpuMs(pid: number): number {
  const time = execFileSync("ps", ["-o", "time=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [days, clock = days] = time.includes("-") ? time.split("-") : ["0", time];
  const seconds = clock?.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) ?? Number.NaN;
  return (Number(days) * 86_400 + seconds) * 1_000;
}
