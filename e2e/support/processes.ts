import { execFileSync } from "node:child_process";

interface Process {
  pid: number;
  parent: number;
  /** Resident, in bytes. */
  memory: number;
  command: string;
}

/** Every living process of this machine. */
export function processes(): Process[] {
  return execFileSync("ps", ["-axo", "stat=,pid=,ppid=,rss=,args="], { encoding: "utf8" })
    .split("\n")
    .flatMap((line) => {
      const [, state = "Z", pid, parent, kilobytes, command = ""] =
        /^\s*(\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      if (state.startsWith("Z")) return [];
      return [{ pid: Number(pid), parent: Number(parent), memory: 1024 * Number(kilobytes), command }];
    });
}

/** Those whose command line holds the text: a path that only one test uses finds what it started. */
export const processesWith = (text: string): Process[] =>
  processes().filter(({ command }) => command.includes(text));

export const isAlive = (pid: number): boolean => processes().some((process) => process.pid === pid);
