import type { Logger } from "pino";
import type { DayBudget } from "@/lib/agent/budget-usage";
import type { SharedBudget } from "@/lib/agent/shared-budget";
import type { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { Providers } from "@/lib/providers/types";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { Env } from "@/lib/server/env";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import type { Tracing } from "@/lib/server/tracing";
import type { Store } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";
import type { LiveRuns } from "./live-runs";

/** What runs use of the application: a process on a store, with its models and its tools. */
export interface RunDeps {
  store: Store;
  runs: LiveRuns;
  /**
   * By conversation: what this process does to it one after another, so that the second request sees what the first has
   * done and is refused by name. That nothing is done twice is decided by the store.
   */
  turns: KeyedMutex;
  providers: Pick<Providers, "provider" | "models" | "window" | "price" | "defaultModel">;
  pool: RunPool;
  inFlight: InFlightCalls;
  files: Pick<
    AttachmentFiles,
    "read" | "readText" | "write" | "delete" | "has" | "copyOut" | "copies" | "lend" | "maxBytesOf"
  >;
  env: Pick<Env, "SKILLS_DIR" | "TOOL_APPROVAL">;
  log: Pick<Logger, "error" | "warn">;
  tracing: Tracing | undefined;
  /** Told how old an event of another process was when a reader here got it, in seconds. */
  onRemoteRead?: ((seconds: number) => void) | undefined;
  /** Counts what a run of this person uses, and ends it where that is all that they may use today. */
  dayBudget: (userId: string) => Promise<DayBudget>;
  /**
   * Asks the first question that waits behind this run, which has ended: undefined when none does. It is sent as any
   * other one is, which runs know nothing of.
   */
  askWaiting: (ended: RunRow, chainId: string) => Promise<RunRow | undefined>;
  /** The budget that the cells of a matrix share; undefined where it is gone. */
  sharedBudget: (matrixId: string) => Promise<SharedBudget | undefined>;
}

/** A run acts as its person, whoever or whatever has begun it or answers it. */
export const asPerson = <Deps extends Pick<RunDeps, "pool">>(deps: Deps, userId: string): Deps => ({
  ...deps,
  pool: deps.pool.of(userId),
});

/** The tools and servers of a run; configuring them is no matter of runs. */
type RunPool = Pick<
  McpPool,
  | "list"
  | "toolBox"
  | "tool"
  | "toolWhenReady"
  | "server"
  | "statusOf"
  | "onChange"
  | "instructions"
  | "isDeferred"
  | "runsInOrder"
  | "fileRoots"
  | "of"
  | "hold"
> & {
  definitions: Pick<McpPool["definitions"], "acceptTool">;
  signIns: Pick<McpPool["signIns"], "done">;
  library: Pick<McpPool["library"], "skills" | "readSkill">;
};
