import { execFileSync } from "node:child_process";

/** Command lines of living processes that hold the text: a path that only one test uses finds what it started. */
export function processesWith(text: string): string[] {
  return execFileSync("ps", ["-axo", "stat=,pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text) && !/^\s*Z/.test(line));
}

export const isAlive = (pid: number): boolean =>
  execFileSync("ps", ["-axo", "stat=,pid="], { encoding: "utf8" })
    .split("\n")
    .some((line) => !/^\s*Z/.test(line) && Number(line.trim().split(/\s+/)[1]) === pid);

/** Command lines of the living processes that this one has started. */
export const childrenOf = (pid: number): string[] =>
  execFileSync("ps", ["-axo", "stat=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => !/^\s*Z/.test(line) && Number(line.trim().split(/\s+/)[1]) === pid);

/** Resident, in bytes. */
export const memoryOf = (pid: number): number =>
  1024 * Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
