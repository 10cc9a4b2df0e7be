import { oncePerFrame } from "@/lib/client/http/frame";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunFollower } from "@/lib/client/run/run-follower";
import type { RunEvent } from "@/lib/protocol/sse";
import type { ConversationState } from "./conversation-state";
import { withLiveTurn } from "./turn-list";

/** Where a run is shown. */
export interface RunScreen {
  /** It begins to be read. */
  onFollow(): void;
  onOpen(run: RunEvent): void;
  onLine(line: ConversationState["line"]): void;
  /** Something new of it is there; at most once a frame. */
  draw(): void;
  onEnded(follower: RunFollower): Promise<void>;
  onLost(follower: RunFollower, cause: unknown): void;
  /** The turn that a run answers, as it was before it. */
  turnBefore(run: RunEvent): TurnView | null;
}

/** The one run of a conversation whose stream is read. */
export class FollowedRun {
  private follower: RunFollower | null = null;
  /** A follower that was closed before its run ended, or that the page has brought along, to go on where it stopped. */
  private paused: RunFollower | null = null;
  private readonly frame = oncePerFrame(() => this.follower && this.screen.draw());

  constructor(private readonly screen: RunScreen) {}

  get current(): RunFollower | null {
    return this.follower;
  }

  /** Follows a run to its end. Resolves to whether the run could be opened, as soon as that is known. */
  follow(follower: RunFollower, onOpen?: (run: RunEvent) => void): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.follower = follower;
    this.screen.onFollow();
    const events = {
      onOpen: (run: RunEvent) => {
        this.screen.onOpen(run);
        this.screen.draw();
        onOpen?.(run);
        resolve(true);
      },
      onChange: () => this.frame.ask(),
      onLine: (line: ConversationState["line"]) => this.screen.onLine(line),
    };
    follower
      .follow(events, (run) => this.screen.turnBefore(run))
      .then(() => this.onEnded(follower))
      .catch((cause) => this.onLost(follower, cause))
      .finally(() => resolve(false));
    return promise;
  }

  /** Stops reading; the run continues. */
  detach(): void {
    this.follower?.close();
    this.paused = this.follower?.run ? this.follower : null;
    this.follower = null;
    this.frame.cancel();
  }

  /** What has been read already is to be gone on with. */
  pause(follower: RunFollower): void {
    this.paused = follower;
  }

  /** Goes on with what was paused, where nothing has been read of it since. */
  goOn(): void {
    const { paused } = this;
    this.paused = null;
    if (paused) void this.follow(paused);
  }

  /** A reader that goes on where the paused one of this run stopped. */
  reopened(runId: string): RunFollower | null {
    const paused = this.paused?.run?.runId === runId ? this.paused : null;
    this.paused = null;
    return paused?.reopened() ?? null;
  }

  /** These turns, with what has come of the run. */
  over(turns: readonly TurnView[]): readonly TurnView[] {
    const shown = this.follower?.shown();
    return shown ? withLiveTurn(turns, shown) : turns;
  }

  /** What the stream brought stays on the screen while the stored state is fetched. */
  private async onEnded(follower: RunFollower): Promise<void> {
    if (this.follower !== follower) return;
    this.screen.draw();
    this.follower = null;
    await this.screen.onEnded(follower);
  }

  private onLost(follower: RunFollower, cause: unknown): void {
    if (this.follower !== follower) return;
    this.frame.cancel();
    this.follower = null;
    if (follower.run) this.paused = follower;
    this.screen.onLost(follower, cause);
  }
}
