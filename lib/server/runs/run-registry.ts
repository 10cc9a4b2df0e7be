import type { LiveRun } from "./live-run";

/** More runs at once than this answer 503: the ones that go on must not feel it. */
export const maxLiveRuns = 400;

/** The runs that go on in this process. */
export class RunRegistry {
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

  /** Of one conversation. */
  ofConversation(conversationId: string): LiveRun[] {
    return this.all().filter(({ row }) => row.conversationId === conversationId);
  }
}
