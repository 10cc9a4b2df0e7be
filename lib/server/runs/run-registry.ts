import type { LiveRun } from "./live-run";

/** More runs at once than this answer 503: the ones that go on must not feel it. */
export const maxLiveRuns = 400;

/** The runs that go on in this process. */
export class RunRegistry {
  private readonly live = new Map<string, LiveRun>();
  private readonly turns = new Map<string, Promise<unknown>>();
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

  /**
   * Runs `work` when everything before it under the same key has ended. Requests of two tabs that look at a
   * conversation's state and then change it (send, answer, resume, stop) take turns by the conversation's id.
   */
  async inTurn<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.turns.get(key);
    const mine = (async () => {
      await before?.catch(() => {});
      return work();
    })();
    this.turns.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.turns.get(key) === mine) this.turns.delete(key);
    }
  }

  /** Of one conversation. */
  ofConversation(conversationId: string): LiveRun[] {
    return this.all().filter(({ row }) => row.conversationId === conversationId);
  }
}
