import { api } from "@/lib/client/http/http";
import { LiveStore } from "@/lib/client/http/live-store";
import type { ListedRun, Page } from "@/lib/protocol/http";

/** Of which client, or in which of its sessions; of all without. */
export interface CallFilter {
  token?: string;
  conversation?: string;
}

/** Calls of programs, newest first, as far as they have been loaded. */
export class ClientCalls {
  readonly live: LiveStore<Page<ListedRun>>;

  constructor(private readonly filter: CallFilter) {
    this.live = new LiveStore({
      name: `calls-${filter.token ?? ""}-${filter.conversation ?? ""}`,
      hint: "conversations",
      load: async (before) => joined(await this.load(null), before),
      pace: () => 10_000,
    });
  }

  /** Rejects with an ApiError. */
  async loadMore(): Promise<void> {
    const { data } = this.live.snapshot();
    if (!data?.nextCursor) return;
    const { items, nextCursor } = await this.load(data.nextCursor);
    this.live.change((now) => ({ items: without(now.items, items).concat(items), nextCursor }));
  }

  private load(cursor: string | null): Promise<Page<ListedRun>> {
    const query = new URLSearchParams({ kind: "gateway", limit: "50", ...this.filter });
    if (cursor !== null) query.set("cursor", cursor);
    return api(`/api/runs?${query}`);
  }
}

const without = (items: readonly ListedRun[], others: readonly ListedRun[]): ListedRun[] => {
  const ids = new Set(others.map(({ id }) => id));
  return items.filter(({ id }) => !ids.has(id));
};

/** The newest page, with the older ones behind it that had been loaded; without them where calls would be missing in between. */
export function joined(page: Page<ListedRun>, before: Page<ListedRun> | undefined): Page<ListedRun> {
  if (!before || page.nextCursor === null) return page;
  const older = without(before.items, page.items);
  const isNext = older.length < before.items.length;
  return isNext && older.length > 0
    ? { items: [...page.items, ...older], nextCursor: before.nextCursor }
    : page;
}

/** How a call stands, in a word. */
export type CallState = "ok" | "error" | "denied" | "unknown" | "waiting" | "running" | "takenBack";

/** Nothing for the part of a call that ended with a question: what came of it is in the run that goes on from it. */
export function stateOfCall({ status, call, continuedBy }: ListedRun): CallState | undefined {
  if (continuedBy) return undefined;
  if (status === "waiting" || status === "running") return status;
  return call?.status ?? (status === "stopped" ? "takenBack" : "error");
}
