import type { ModelItem } from "@/lib/protocol/settings";
import { type ModelSource, modelItem } from "./shared/model-source";

const keptMs = 60_000;
/** After starting a server that was missing, nobody should have to wait a minute. */
const keptAfterFailureMs = 10_000;
const limitMs = 3_000;

/** What one source offers, asked at most every 60 s (10 s after a failure), once at a time, for at most 3 s. Never rejects. */
export class ModelMenu {
  private asked: Promise<ModelItem[]> | undefined;
  private until = 0;
  /** What was offered when it was last asked. */
  known: readonly ModelItem[] = [];

  constructor(
    readonly source: ModelSource,
    /** In the menu even when the list does not name it. */
    private readonly chosen: string | undefined,
    private readonly now: () => number,
  ) {}

  items(): Promise<ModelItem[]> {
    if (!this.asked || this.now() >= this.until) {
      this.until = Number.POSITIVE_INFINITY;
      this.asked = this.ask();
    }
    return this.asked;
  }

  private async ask(): Promise<ModelItem[]> {
    const { source, chosen } = this;
    try {
      const items = await source.list(AbortSignal.timeout(limitMs));
      this.known = items;
      this.until = this.now() + keptMs;
      const known = !chosen || items.some((item) => item.id === `${source.id}/${chosen}`);
      return known ? items : [modelItem(source.id, chosen), ...items];
    } catch (error) {
      this.until = this.now() + keptAfterFailureMs;
      if (source.optional && !chosen) return [];
      const reason = error instanceof Error ? error.message : String(error);
      return [{ ...modelItem(source.id, chosen ?? source.wellKnown), reachable: false, reason }];
    }
  }
}
