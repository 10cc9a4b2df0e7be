import { HttpError } from "@/lib/server/http/errors";
import type { LiveRun } from "./live-run";

/** More runs at once than this answer 503: the ones that are running must not feel it. */
const maxLiveRuns = 400;

/** The runs that this process drives. What others may do with a run is decided by its row in the store. */
export class LiveRuns {
  private readonly live = new Map<string, LiveRun>();
  /** True after SIGTERM: nothing new starts. */
  draining = false;

  add(run: LiveRun): void {
    this.live.set(run.row.id, run);
    void run.ended.then(() => this.live.delete(run.row.id));
  }

  get(id: string): LiveRun | undefined {
    return this.live.get(id);
  }

  get count(): number {
    return this.live.size;
  }

  all(): LiveRun[] {
    return [...this.live.values()];
  }

  ofConversation(conversationId: string): LiveRun[] {
    return this.all().filter(({ row }) => row.conversationId === conversationId);
  }

  /** 503 while shutting down or when there are too many. */
  checkCapacity(): void {
    if (this.draining)
      throw new HttpError(
        503,
        "draining",
        "The server is shutting down; try again in a moment.",
        undefined,
        5,
      );
    if (this.count >= maxLiveRuns)
      throw new HttpError(
        503,
        "overloaded",
        "Too many answers are being written; try again soon.",
        undefined,
        5,
      );
  }
}
