import { formatEvent } from "@/lib/protocol/sse";
import type { EventFeed, EventSink } from "@/lib/server/http/event-feed";
import { Packet } from "@/lib/server/http/packet";

/**
 * Several runs on one connection, as a browser opens six to a host and no more. The event `of` says whose the events after
 * it are. Each feed still hands over one piece at a time, so a slow reader holds as many pieces as there are runs.
 */
export class JoinedFeed implements EventFeed {
  private sink: EventSink | undefined;
  private last: string | undefined;

  /** `feeds`: by the id of their run. */
  constructor(private readonly feeds: Map<string, EventFeed>) {}

  start(sink: EventSink): void {
    this.sink = sink;
    for (const [runId, feed] of [...this.feeds]) feed.start(this.sinkOf(runId));
  }

  resume(): void {
    for (const feed of [...this.feeds.values()]) feed.resume();
  }

  leave(): void {
    this.sink = undefined;
    for (const feed of this.feeds.values()) feed.leave();
    this.feeds.clear();
  }

  private sinkOf(runId: string): EventSink {
    return {
      write: (packet) => this.write(runId, packet),
      end: (last) => {
        if (last) this.write(runId, last);
        this.feeds.delete(runId);
        if (this.feeds.size === 0) this.sink?.end();
      },
      drop: () => {
        const { sink } = this;
        this.leave();
        sink?.drop();
      },
    };
  }

  private write(runId: string, packet: Packet): boolean {
    if (!this.sink) return false;
    if (this.last !== runId) this.sink.write(new Packet(formatEvent("of", { runId })));
    this.last = runId;
    return this.sink.write(packet);
  }
}
