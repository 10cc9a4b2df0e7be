/**
 * Where this process meets what can fail, each right before it happens. They are in a build with `MEGURI_FAULTS=1` alone
 * (`scripts/build.mjs`); in the one that people run each is `undefined`, and none of the names below is in it.
 *
 * `FAULT=<point>:<n>[:fail|:stop]` is the fault: at the nth time the process dies as by kill -9, or, with `fail`, the operation
 * fails as the system would have it fail, or, with `stop`, the process stands still until it gets SIGCONT. `FAULT=@<path>` reads it from a file at each point, so that one process can be
 * given many: another text begins to count anew, and what was met is appended to `<path>.met`.
 */
const isBuilt = process.env.MEGURI_FAULTS === "1";

/** Throws the failure. */
type FaultPoint = (() => void) | undefined;

/** A piece of a model's answer has come. */
export const beforeProviderRead: FaultPoint = isBuilt
  ? faultPoint("provider_read", () => systemError("read", "ECONNRESET"))
  : undefined;
/** A message goes to an MCP server, on either wire. */
export const beforeMcpSend: FaultPoint = isBuilt
  ? faultPoint("mcp_send", () => systemError("write", "EPIPE"))
  : undefined;
/** A message or a piece of one has come from an MCP server. */
export const beforeMcpReceive: FaultPoint = isBuilt
  ? faultPoint("mcp_receive", () => systemError("read", "ECONNRESET"))
  : undefined;
/** What changes the records is committed. */
export const beforeDatabaseWrite: FaultPoint = isBuilt
  ? faultPoint("database_write", () => databaseError())
  : undefined;
/** A commit to the run log. */
export const beforeLogWrite: FaultPoint = isBuilt
  ? faultPoint("log_write", () => databaseError())
  : undefined;
/** A packet goes to a reader of a run. */
export const beforeSseWrite: FaultPoint = isBuilt
  ? faultPoint("sse_write", () => systemError("write", "ECONNRESET"))
  : undefined;
/** An MCP server is started as a child process. */
export const beforeSpawn: FaultPoint = isBuilt
  ? faultPoint("server_spawn", () => systemError("spawn", "EAGAIN"))
  : undefined;

const systemError = (syscall: string, code: string): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall });

/** As `node:sqlite` throws it. */
const databaseError = (): Error =>
  Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 });

interface Count {
  fault: string;
  times: number;
}

/** One count for all bundles of the process. */
const holder = globalThis as { [key: symbol]: Count | undefined };

function faultPoint(point: string, failure: () => Error): () => void {
  const key = Symbol.for("meguri.fault");
  const { appendFileSync, readFileSync } = process.getBuiltinModule("node:fs");
  return () => {
    const given = process.env.FAULT ?? "";
    const file = given.startsWith("@") ? given.slice(1) : undefined;
    const fault = file ? readFileSync(file, "utf8").trim() : given;
    const [name, nth, how] = fault.split(":");
    if (name !== point) return;
    if (holder[key]?.fault !== fault) holder[key] = { fault, times: 0 };
    const count = holder[key];
    count.times++;
    if (count.times !== Number(nth)) return;
    if (file) appendFileSync(`${file}.met`, `${fault}\n`);
    if (how === "fail") throw failure();
    process.kill(process.pid, how === "stop" ? "SIGSTOP" : "SIGKILL");
  };
}
