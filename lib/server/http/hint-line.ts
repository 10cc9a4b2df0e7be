import type { Hint } from "@/lib/protocol/hints";
import { formatEvent, heartbeat } from "@/lib/protocol/sse";
import type { EventFeed, EventSink } from "./event-feed";
import { Packet } from "./packet";
import { readerClock } from "./reader-clock";

/** Of the clock, without a byte; so a heartbeat comes after 10 to 15 s of silence. */
const ticksOfSilence = 3;
/** Of the clock, during which a reader has taken nothing: five minutes. It can open the line again. */
const ticksUntilDropped = 60;
/**
 * Of the clock: a quarter of an hour, for half of the lines as much again. Whoever opens it again is asked once more who they
 * are: a session that has run out ends by itself.
 */
const ticksOfLife = 180;

const beat = new Packet(heartbeat);
const events = new Map<string, Packet>();

/** One reader who is told what has changed. One that takes nothing hears of each part once when it does. */
export class HintLine implements EventFeed {
  private sink: EventSink | undefined;
  private hasRoom = true;
  private quietTicks = 0;
  private ticks = Math.round(Math.random() * -0.5 * ticksOfLife);
  private readonly missed = new Set<Hint>();

  constructor(private readonly on: { open(line: HintLine): void; leave(line: HintLine): void }) {}

  start(sink: EventSink): void {
    this.sink = sink;
    readerClock.add(this);
    this.on.open(this);
    this.write(beat);
  }

  resume(): void {
    this.hasRoom = true;
    this.quietTicks = 0;
    if (this.missed.size === 0) return;
    const hints = [...this.missed];
    this.missed.clear();
    this.tell(hints);
  }

  leave(): void {
    this.sink = undefined;
    readerClock.delete(this);
    this.on.leave(this);
  }

  tell(hints: Iterable<Hint>): void {
    if (this.hasRoom) this.write(eventOf([...hints]));
    else for (const hint of hints) this.missed.add(hint);
  }

  /** The reader opens another one, here or elsewhere. */
  end(): void {
    const { sink } = this;
    this.leave();
    sink?.end();
  }

  /** Called by the clock. */
  tick(): void {
    this.quietTicks++;
    if (++this.ticks >= ticksOfLife) this.end();
    else if (this.hasRoom && this.quietTicks >= ticksOfSilence) this.write(beat);
    else if (!this.hasRoom && this.quietTicks >= ticksUntilDropped) {
      const { sink } = this;
      this.leave();
      sink?.drop();
    }
  }

  private write(packet: Packet): void {
    this.quietTicks = 0;
    this.hasRoom = this.sink?.write(packet) ?? false;
  }
}

/** Of each set of hints one, for all lines. */
function eventOf(hints: readonly Hint[]): Packet {
  const key = hints.toSorted().join();
  const known = events.get(key) ?? new Packet(hints.map((hint) => formatEvent(hint, {})).join(""));
  events.set(key, known);
  return known;
}
