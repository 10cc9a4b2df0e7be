import type { ConversationItem } from "@/lib/protocol/http";
import {
  addHandled,
  allHandled,
  type EndedKind,
  type EndedRun,
  endedRun,
  findUnhandled,
  type HandledRuns,
  parseHandled,
} from "./ended-runs";
import { chooseTeller, type TabView } from "./tabs-of-browser";

/** What the tab lets the watch know and do. */
export interface WatchedTab {
  view(): Omit<TabView, "id">;
  kinds(): readonly EndedKind[];
  /** Shows a notification; of all tabs one alone is asked to. */
  tell(run: EndedRun): void;
  /** What has ended since somebody looked at Meguri, one for a conversation. */
  onMarks(marks: readonly EndedRun[]): void;
}

type TabMessage =
  | { type: "who"; ask: string }
  | { type: "here"; ask: string; tab: TabView }
  | { type: "ended"; runs: readonly EndedRun[]; tellers: Readonly<Record<string, string>> }
  | { type: "looked" };

const handledKey = "meguri.handled";
/** A tab that does not answer in this time is not looked at. */
const answerMs = 200;
/** After a long absence the newest are enough; marks count the others. */
const maxTold = 3;

/**
 * Tells of runs that have ended while nobody looked. Each tab has one and takes what its own list says; under one lock
 * and with one record of what was dealt with, all tabs of a browser tell of an end once.
 */
export class RunWatch {
  private readonly id = Math.random().toString(36).slice(2);
  private readonly channel =
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("meguri.ended");
  private marks: readonly EndedRun[] = [];
  private readonly answers = new Map<string, TabView[]>();

  constructor(private readonly tab: WatchedTab) {
    if (this.channel) this.channel.onmessage = ({ data }) => this.hear(data as TabMessage);
  }

  /** What the list says now. `isSeen`: the person has it before their eyes. */
  async take(items: readonly ConversationItem[], isSeen = false): Promise<void> {
    this.forgetOld(items);
    const before = read();
    if (before && findUnhandled(items, before).length === 0) return;
    await exclusively(async () => {
      const handled = read() ?? allHandled(items);
      // Another tab may have been first.
      const runs = findUnhandled(items, handled);
      write(addHandled(handled, runs));
      if (!isSeen) await this.announce(runs);
    });
  }

  /** Somebody is back: marks and notifications of all tabs have done their work. */
  looked(): void {
    this.mark([]);
    this.post({ type: "looked" });
  }

  close(): void {
    this.channel?.close();
  }

  private async announce(runs: readonly EndedRun[]): Promise<void> {
    const kinds = this.tab.kinds();
    const wanted = runs.filter(({ kind }) => kinds.includes(kind));
    if (wanted.length === 0) return;
    const tabs = await this.askTabs();
    const told = wanted.flatMap((run) => {
      const teller = chooseTeller(run, tabs);
      return teller ? [{ run, teller }] : [];
    });
    if (told.length === 0) return;
    const message: TabMessage = {
      type: "ended",
      runs: told.map(({ run }) => run),
      tellers: Object.fromEntries(
        told.slice(0, maxTold).map(({ run, teller }) => [run.conversationId, teller.id]),
      ),
    };
    this.post(message);
    this.hear(message);
  }

  private async askTabs(): Promise<readonly TabView[]> {
    const ask = `${this.id}.${Math.random()}`;
    const tabs = [this.self()];
    this.answers.set(ask, tabs);
    this.post({ type: "who", ask });
    await new Promise((resolve) => setTimeout(resolve, answerMs));
    this.answers.delete(ask);
    return tabs;
  }

  private hear(message: TabMessage): void {
    switch (message.type) {
      case "who":
        this.post({ type: "here", ask: message.ask, tab: this.self() });
        return;
      case "here":
        this.answers.get(message.ask)?.push(message.tab);
        return;
      case "ended": {
        if (!this.tab.view().isLookedAt) this.add(message.runs);
        for (const run of message.runs)
          if (message.tellers[run.conversationId] === this.id) this.tab.tell(run);
        return;
      }
      case "looked":
        this.mark([]);
    }
  }

  private add(runs: readonly EndedRun[]): void {
    const isReplaced = (mark: EndedRun) =>
      runs.some(({ conversationId }) => conversationId === mark.conversationId);
    this.mark([...this.marks.filter((mark) => !isReplaced(mark)), ...runs]);
  }

  /** What was answered, asked anew or deleted elsewhere is not waited for any more. */
  private forgetOld(items: readonly ConversationItem[]): void {
    const now = new Map(items.map((item) => [item.id, item]));
    const isOld = ({ conversationId, at }: EndedRun) => {
      const item = now.get(conversationId);
      // A list that was fetched before the end knows nothing of it.
      return item !== undefined && item.updatedAt >= at && endedRun(item)?.at !== at;
    };
    if (this.marks.some(isOld)) this.mark(this.marks.filter((mark) => !isOld(mark)));
  }

  private mark(marks: readonly EndedRun[]): void {
    if (marks.length === 0 && this.marks.length === 0) return;
    this.marks = marks;
    this.tab.onMarks(marks);
  }

  private self(): TabView {
    return { id: this.id, ...this.tab.view() };
  }

  private post(message: TabMessage): void {
    this.channel?.postMessage(message);
  }
}

/** One tab at a time. Where there are no locks (plain HTTP) there are no notifications, and marks may be set twice. */
async function exclusively(work: () => Promise<void>): Promise<void> {
  await (navigator.locks ? navigator.locks.request("meguri.ended", work) : work());
}

function read(): HandledRuns | null {
  try {
    return parseHandled(localStorage.getItem(handledKey));
  } catch {
    return null;
  }
}

function write(handled: HandledRuns): void {
  try {
    localStorage.setItem(handledKey, JSON.stringify(handled));
  } catch {
    // Without storage nothing is told: it would be told again and again.
  }
}
