import { useSyncExternalStore } from "react";
import type { Hint } from "@/lib/protocol/hints";
import { type ApiError, asApiError, isPassing } from "./http";
import { hearNews, type LineNews } from "./told";

/** What is known now: data stays while it is fetched again, also when that fails. */
export interface Live<T> {
  data: T | undefined;
  error: ApiError | undefined;
}

export interface LiveOptions<T> {
  /** Name of the channel on which tabs tell each other that something changed. */
  name: string;
  load(before: T | undefined): Promise<T>;
  /** By which the server tells that it has changed. */
  hint?: Hint;
  /** After how many ms it is fetched again while a component shows it; null: only when asked. */
  pace(data: T | undefined): number | null;
}

/** A message does not wait longer than this for what is sent with it. */
const messageWaitMs = 2_000;
/** While the server cannot be reached, though nothing else asks for it. */
const retryMs = 10_000;

/** What is known at first: the same object for all, or React would render each user of a store again once it has taken the page over. */
const empty: Live<unknown> = { data: undefined, error: undefined };

/** A page that gets no frames fetches after this time, ms. */
const unseenMs = 100;
let firstPaint: Promise<void> | undefined;

/** Once the frame is painted with which the page begins to listen: what it fetches then, all at once, would hold up that frame. */
const painted = () =>
  (firstPaint ??= new Promise<void>((resolve) => {
    if (typeof requestAnimationFrame === "function") requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, unseenMs);
  }));

/** One resource of the server, shared by all components and kept fresh while a visible page shows it. */
export class LiveStore<T> {
  private state = empty as Live<T>;
  private readonly listeners = new Set<() => void>();
  private loading: Promise<void> | undefined;
  private stale = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private channel: BroadcastChannel | undefined;
  private unhear = () => {};

  constructor(private readonly options: LiveOptions<T>) {}

  readonly snapshot = (): Live<T> => this.state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.wake();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.sleep();
    };
  };

  /** Prefetches what will be shown soon; resolves when it is there or the fetch has failed. */
  async fetchAhead(): Promise<void> {
    if (this.state.data === undefined) await (this.loading ?? this.refresh());
  }

  /** For a message that is to be sent with it: resolves when it is there, cannot be loaded, or takes too long. */
  known(): Promise<unknown> {
    return Promise.race([this.fetchAhead(), new Promise((resolve) => setTimeout(resolve, messageWaitMs))]);
  }

  /** Fetches again; a call during a fetch makes another follow it. With `tell`, other tabs do the same. */
  async refresh({ tell = false } = {}): Promise<void> {
    if (tell) this.channel?.postMessage("changed");
    if (this.loading) {
      this.stale = true;
      return this.loading;
    }
    this.loading = this.fetchUntilFresh();
    await this.loading;
  }

  /** Shows a change at once, before the server has it. */
  change(edit: (data: T) => T): void {
    if (this.state.data !== undefined) this.publish({ ...this.state, data: edit(this.state.data) });
  }

  private async fetchUntilFresh(): Promise<void> {
    clearTimeout(this.timer);
    do {
      this.stale = false;
      try {
        const data = await this.options.load(this.state.data);
        if (!this.stale) this.publish({ data: sameOr(this.state.data, data), error: undefined });
      } catch (error) {
        this.publish({ ...this.state, error: asApiError(error) });
      }
    } while (this.stale);
    this.loading = undefined;
    this.schedule();
  }

  private publish(next: Live<T>): void {
    if (next.data === this.state.data && next.error === this.state.error) return;
    this.state = next;
    for (const listener of this.listeners) listener();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    // What is under way schedules when it is there.
    if (this.loading) return;
    const { data, error } = this.state;
    const pause = this.options.pace(data) ?? (error && isPassing(error) ? retryMs : null);
    if (this.listeners.size > 0 && pause !== null && !document.hidden)
      this.timer = setTimeout(() => this.refresh(), pause);
  }

  private readonly hear = (news: LineNews) => {
    if (news === "open" || news === "lost") this.schedule();
    else if (news === this.options.hint && !document.hidden) void this.refresh();
  };

  private readonly look = () => {
    if (document.hidden) clearTimeout(this.timer);
    else void this.refresh();
  };

  private wake(): void {
    if (typeof BroadcastChannel !== "undefined") {
      this.channel = new BroadcastChannel(`meguri:${this.options.name}`);
      this.channel.onmessage = () => void this.refresh();
    }
    this.unhear = hearNews(this.hear);
    document.addEventListener("visibilitychange", this.look);
    window.addEventListener("focus", this.look);
    window.addEventListener("online", this.look);
    void painted().then(() => {
      // A prefetch that is still running is fresh enough.
      if (this.listeners.size > 0 && !this.loading) void this.refresh();
    });
  }

  private sleep(): void {
    this.channel?.close();
    this.channel = undefined;
    this.unhear();
    document.removeEventListener("visibilitychange", this.look);
    window.removeEventListener("focus", this.look);
    window.removeEventListener("online", this.look);
    clearTimeout(this.timer);
  }
}

/** The resource, fetched when the first component asks for it. On the server and while hydrating it is undefined. */
export function useLive<T>(store: LiveStore<T>): Live<T> {
  return useSyncExternalStore(store.subscribe, store.snapshot, () => empty as Live<T>);
}

/** The old object when nothing changed, so that nothing renders again. */
export function sameOr<T>(before: T | undefined, now: T): T {
  if (before === now) return now;
  return before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
}
