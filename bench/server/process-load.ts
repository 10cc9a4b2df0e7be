import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { platform } from "node:os";

/** Memory of a process in MB. */
export function residentMb(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;
}

/** CPU time that a process has used, in ms; in steps of 10 ms, or of a second where there is no /proc. */
export function cpuMs(pid: number): number {
  if (platform() === "linux") {
    const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) (?=[A-Z] )/);
    const [user = Number.NaN, system = Number.NaN] = fields.split(" ").slice(11, 13).map(Number);
    return (user + system) * ticks;
  }
  const time = execFileSync("ps", ["-o", "time=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [days, clock = days] = time.includes("-") ? time.split("-") : ["0", time];
  const seconds = clock?.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) ?? Number.NaN;
  return (Number(days) * 86_400 + seconds) * 1_000;
}

/** Ms of one, on every Linux for programs. */
const ticks = 10;
