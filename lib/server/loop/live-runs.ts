import type { LogMessage, McpAnswer } from "@/lib/mcp/gateway/offer";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { HttpError, overloaded } from "@/lib/server/http/errors";
import type { RunRow } from "@/lib/store/types";
import type { LiveRun } from "./live-run";
import { WireRoom } from "./wire-bytes";

/** Share of the places from which on a balancer should ask somebody else. */
const nearlyFull = 0.9;

/** Of a run that goes on with one that was admitted before, nobody's. */
interface Place {
  userId: string | undefined;
}

/** The runs that this process drives. What others may do with a run is decided by its row in the store. */
export class LiveRuns {
  private readonly live = new Map<string, LiveRun>();
  /** Places of runs that are being stored. */
  private readonly beginning = new Set<Place>();
  /** By conversation, how to give up the title that a model is writing for it. */
  readonly titling = new Map<string, AbortController>();
  /** By run that has just ended, the one that is being begun with what waits behind it. */
  readonly handing = new Map<string, Promise<string | undefined>>();
  /** By `GatewayCall.id`, the calls of programs that wait for their outcome in this process. */
  readonly awaited = new Map<string, AwaitedCall>();
  /** Conversations in which a question that waits could not be asked when its turn came. */
  readonly stalled = new Set<string>();
  /** What their recordings of the wire hold. */
  readonly wireRoom = new WireRoom();
  /** Since the start, of runs that changed hands: those of others that were given their end here, and those lost to others. */
  readonly counts = { takenOver: 0, givenUp: 0 };
  /** True after SIGTERM: nothing new starts. */
  draining = false;
  /** True while everything is deleted: a run that began meanwhile would have no conversation. */
  deleting = false;

  /**
   * `max` at once; more answer 503, as the ones that are running must not feel it. `onEnded` is told of each run that has
   * ended, when it is no longer one of them. `mostOf`: how many one person may have at once; throws where they may begin none.
   */
  constructor(
    private readonly max = 200,
    private readonly onEnded: (run: LiveRun) => void = () => {},
    readonly mostOf: (userId: string) => Promise<number> = async () => Number.POSITIVE_INFINITY,
  ) {}

  add(run: LiveRun): void {
    this.live.set(run.row.id, run);
    // It is counted from now on, while whoever has begun it may still wait for the disk.
    const places = [...this.beginning];
    const { userId } = run.row;
    const place = places.find((each) => each.userId === userId) ?? places.find((each) => !each.userId);
    if (place) this.beginning.delete(place);
    if (run.row.continues !== null) awaitedBy(this, run.row)?.onContinued(run);
    void run.ended.then(() => {
      this.live.delete(run.row.id);
      this.onEnded(run);
    });
  }

  get(id: string): LiveRun | undefined {
    return this.live.get(id);
  }

  get count(): number {
    return this.live.size;
  }

  /** Streams that are being read of them. */
  get readers(): number {
    return this.all().reduce((sum, { tail }) => sum + tail.readerCount, 0);
  }

  all(): LiveRun[] {
    return [...this.live.values()];
  }

  /** Others have taken over what runs here; temporary chats are nobody else's. */
  giveUp(): void {
    for (const run of this.live.values()) {
      if (isTemporaryId(run.row.conversationId)) continue;
      this.counts.givenUp++;
      run.giveUp();
    }
  }

  ofConversation(conversationId: string): LiveRun[] {
    return this.all().filter(({ row }) => row.conversationId === conversationId);
  }

  /** Nothing runs, begins, or is written after a run. */
  get isIdle(): boolean {
    return this.live.size + this.beginning.size + this.titling.size === 0;
  }

  get isNearlyFull(): boolean {
    return this.count >= nearlyFull * this.max;
  }

  /**
   * Keeps a place while `begin` starts a run; 503 while shutting down or when there is none, 429 when the limits of the
   * person are reached. Without a person for what goes on with a run that was admitted before.
   */
  async admit<Value>(begin: () => Promise<Value>, userId?: string): Promise<Value> {
    const most = userId === undefined ? Number.POSITIVE_INFINITY : await this.mostOf(userId);
    this.checkCapacity();
    if (userId !== undefined && this.countOf(userId) >= most) throw tooManyRuns(most);
    const place = { userId };
    this.beginning.add(place);
    try {
      return await begin();
    } finally {
      this.beginning.delete(place);
    }
  }

  private countOf(userId: string): number {
    const running = this.all().filter(({ row }) => row.userId === userId).length;
    return running + [...this.beginning].filter((place) => place.userId === userId).length;
  }

  private checkCapacity(): void {
    if (this.draining)
      throw new HttpError(
        503,
        "draining",
        "The server is shutting down; try again in a moment.",
        undefined,
        5,
      );
    if (this.deleting)
      throw new HttpError(
        503,
        "deleting",
        "Everything is being deleted; try again in a moment.",
        undefined,
        2,
      );
    if (this.count + this.beginning.size >= this.max)
      throw overloaded("Too many answers are being written; try again soon.");
  }
}

/** Whoever waits for the outcome of a call. */
export interface AwaitedCall {
  /** The run that it waits for goes on as this one. */
  onContinued(next: LiveRun): void;
  /** The server has answered; its run keeps a bounded form of it. */
  onResult(answer: McpAnswer): void;
  /** The server logs something for it. */
  onLog(message: LogMessage): void;
}

export const awaitedBy = (
  { awaited }: Pick<LiveRuns, "awaited">,
  { options }: Pick<RunRow, "options">,
): AwaitedCall | undefined => options.gateway && awaited.get(options.gateway.id);

export const tooManyRuns = (most: number) =>
  new HttpError(
    429,
    "too_many_runs",
    `You may have ${most} answers written at the same time; wait until one has ended, or stop one.`,
    undefined,
    5,
  );
