import type { CallFollower, LogMessage, McpAnswer } from "@/lib/mcp/gateway/offer";
import type { Chunk } from "@/lib/protocol/chunk";
import type { GatewayCall } from "@/lib/protocol/gateway";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import type { LiveRun } from "@/lib/server/loop/live-run";
import type { AwaitedCall } from "@/lib/server/loop/live-runs";

/** How a run of a call has ended, as far as whoever waits for it is concerned. */
export type RunEnd = { result: ToolResult } | "waits" | "broke";

/** Follows the runs of one call that go on in this process. */
export class CallOutcome implements AwaitedCall {
  /** The server's answer as it came. */
  raw: McpAnswer | undefined;
  private continued = Promise.withResolvers<LiveRun>();

  constructor(
    private readonly gateway: Pick<GatewayCall, "call">,
    private readonly follow: Pick<CallFollower, "onProgress" | "onLog">,
  ) {}

  onContinued(next: LiveRun): void {
    this.continued.resolve(next);
  }

  onResult(answer: McpAnswer): void {
    this.raw = answer;
  }

  onLog(message: LogMessage): void {
    this.follow.onLog(message);
  }

  /** The run that goes on from the one that waits. */
  next(): Promise<LiveRun> {
    return this.continued.promise;
  }

  /** Resolves as soon as the record has the result with the end of the run, which is before the log has it. */
  read(run: LiveRun): Promise<RunEnd> {
    // Who answers while its end is being stored finds nobody to tell yet.
    this.continued = Promise.withResolvers();
    const { promise, resolve } = Promise.withResolvers<RunEnd>();
    let at = 0;
    const reader = {
      wake: () => {
        const result = run.stored && this.resultIn(run.stored.historyDelta);
        for (const chunk of (result ? run.known : run.chunks).slice(at)) {
          at++;
          const end = this.take(chunk);
          if (end && !result) return finish(end);
        }
        if (result) return finish({ result });
        if (run.tail.isClosed || run.isLost) finish("broke");
      },
    };
    const finish = (end: RunEnd) => {
      run.tail.leave(reader);
      resolve(end);
    };
    run.tail.join(reader);
    reader.wake();
    return promise;
  }

  private resultIn(history: readonly ChatMessage[]): ToolResult | undefined {
    return history
      .flatMap((message) => (message.role === "tool" ? message.results : []))
      .findLast(({ id }) => id === this.gateway.call.id);
  }

  private take(chunk: Chunk): RunEnd | undefined {
    if (chunk.type === "tool_progress") {
      const { progress, total, message } = chunk;
      this.follow.onProgress({ progress, total, message });
    }
    if (chunk.type !== "result") return undefined;
    return statusAfter(chunk.result.stopReason) === "waiting" ? "waits" : "broke";
  }
}
