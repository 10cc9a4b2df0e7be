import { totalmem } from "node:os";

const megabyte = 1024 * 1024;
/** However little or much memory there is. */
const fewestRuns = 200;
const mostRuns = 2_000;

/** Local MCP servers at once where there is plenty of memory, and where there is little. */
const [mostProcesses, fewestProcesses] = [32, 4];
/** What Meguri itself takes with many answers, and what one server in Node takes, in megabytes. */
const [ownMegabytes, processMegabytes] = [700, 80];

/** Bytes that this process may use: the limit of its container (cgroup 1 or 2), else the memory of the machine. */
export function usableMemory(
  limit: number = process.constrainedMemory(),
  total: number = totalmem(),
): number {
  // Without a limit it is 0, or a number far beyond any machine.
  return limit > 0 ? Math.min(limit, total) : total;
}

/** How many local MCP servers run at once unless MCP_MAX_PROCESSES says it. */
export const processesFor = (bytes: number): number =>
  Math.min(
    mostProcesses,
    Math.max(fewestProcesses, Math.floor((bytes / megabyte - ownMegabytes) / processMegabytes)),
  );

/** How many runs go on at once unless MAX_RUNS says it: one a megabyte. A run takes a fifth of that; the rest is for everything else. */
export const runsFor = (bytes: number): number =>
  Math.min(mostRuns, Math.max(fewestRuns, Math.floor(bytes / megabyte)));
