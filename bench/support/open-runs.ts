import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopRequest } from "@/lib/agent/execute-with-tools-stream";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import { openProviders } from "@/lib/providers/providers";
import { Limits } from "@/lib/server/accounts/person-limits";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { type Chain, readChain } from "@/lib/server/loop/chain";
import { LiveRun } from "@/lib/server/loop/live-run";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { runProvider } from "@/lib/server/loop/run-provider";
import { runTools } from "@/lib/server/loop/run-tools";
import { openProviderNetwork } from "@/lib/server/settings/provider-network";

export type Answered = Extract<Chunk, { type: "answer" }>;

/** One run: what its loop is given, and its log. */
export interface BenchRun extends Required<Pick<LoopRequest, "provider" | "tools" | "sent" | "timeUsedMs">> {
  /** Resolves when the log has it, or has taken it; only then a run asks its loop for the next chunk. */
  write(chunk: Chunk): Promise<void>;
  chain: Chain;
}

interface Beginning {
  /** What the search for tools counts as known. */
  history?: readonly ChatMessage[];
  /** A person is asked before each call. */
  asks?: boolean;
  /** A run that waits, and the answers to it. */
  continues?: { run: BenchRun; answers: readonly Answered[] };
}

export type OpenRun = (beginning?: Beginning) => Promise<BenchRun>;

/**
 * Runs as the application puts them together (`runProvider`, `runTools`, `LiveRun`), over its kind of connections to a
 * model server. Only the store is none: nobody has set anything, and the log keeps what it is given in memory.
 */
export function openRuns(pool: McpPool, modelUrl: string): OpenRun {
  const network = openProviderNetwork([hostAndPort(new URL(modelUrl))]);
  const store = {
    settings: { get: async () => undefined },
    usageDays: { of: async () => [] },
    members: { holds: () => true },
    log: { request: (source: Source) => void setImmediate(keep, source) },
  } as unknown as RunDeps["store"];
  const limits = Limits.open({ env: { AUTH: "local", ATTACHMENTS_MAX_MB: 0 }, store });
  const shared = {
    store,
    runs: new LiveRuns(),
    turns: new KeyedMutex(),
    providers: openProviders({ access: { openai: { baseURL: modelUrl } } }, network),
    pool,
    inFlight: new InFlightCalls(),
    files: AttachmentFiles.inFolder(join(tmpdir(), "meguri-bench-files"), async () => 0), // has no room for any
    log: { error: console.error, warn: console.warn },
    tracing: undefined,
    dayBudget: async (userId: string) => (await limits).dayBudget(userId),
    sharedBudget: async () => undefined,
    askWaiting: async () => undefined,
  };
  return async ({ history = [], asks = false, continues } = {}) => {
    const deps: RunDeps = {
      ...shared,
      env: { TOOL_APPROVAL: asks ? "ask" : "allow", SKILLS_DIR: "/nowhere" },
    };
    const chain = continues?.run.chain ?? (await readChain(deps, undefined));
    const run = new LiveRun(newRow(), deps.store.log, chain);
    chain.budgetUsage.day = await deps.dayBudget(run.row.userId);
    for (const answer of continues?.answers ?? []) await run.write(answer);
    return {
      provider: await runProvider(deps, run, undefined),
      tools: runTools(deps, run, {
        history,
        trace: undefined,
        project: undefined,
        skills: { skills: [], broken: [] },
        tape: undefined,
      }),
      sent: [...chain.open].flatMap(([id, call]) => (call.sent ? [id] : [])),
      timeUsedMs: chain.workedMs,
      write: async (chunk) => run.write(chunk),
      chain,
    };
  };
}

/** What `LiveRun` hands to the log. */
interface Source {
  take(): unknown;
  stored(): void;
}

function keep(source: Source): void {
  source.take();
  source.stored();
}

const newRow = (): LiveRun["row"] => ({
  ...{ id: "run", conversationId: "conversation", userId: "user", messageId: "message", parentId: "message" },
  ...{ status: "running", model: "openai/test-model", agent: null, continues: null, options: {} },
  ...{ startedAt: Date.now(), endedAt: null, result: null, iterations: [] },
});
