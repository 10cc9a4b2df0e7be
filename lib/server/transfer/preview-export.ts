import type { ImportPreview, ImportSource, SourcePreview } from "@/lib/protocol/imports";
import type { BaseDeps } from "@/lib/server/base-deps";
import { eachItem, type OnProgress } from "./each-item";
import type { ImportedConversation, ImportedMessage } from "./imported";
import { type ImportPlan, planImport } from "./plan-import";
import type { OpenExport } from "./read-export";
import { LeftOuts } from "./shape";
import { filesNamed } from "./store-files";

/** What an import of this file would do; nothing is stored. */
export async function previewExport(
  deps: Pick<BaseDeps, "store">,
  userId: string,
  found: OpenExport,
  signal: AbortSignal,
  onProgress?: OnProgress,
): Promise<ImportPreview> {
  const counts = new Map<ImportSource, SourceCount>();
  const of = (source: ImportSource) => {
    const count = counts.get(source) ?? new SourceCount(source);
    counts.set(source, count);
    return count;
  };
  await eachItem(found, signal, onProgress, async (item) => {
    if (item.kind === "conversation")
      of(item.conversation.source).add(item.conversation, await planImport(deps, userId, item.conversation));
    else if (item.source) of(item.source).left.add("broken_conversation");
  });
  const [first] = counts.values();
  first?.left.add("other_file", found.others.other_file);
  first?.left.add("unsafe_name", found.others.unsafe_name);
  return { sources: [...counts.values()].map((count) => count.toPreview()) };
}

class SourceCount {
  readonly left = new LeftOuts();
  private readonly told: Omit<SourcePreview, "leftOut" | "from" | "to">;
  private from = Number.POSITIVE_INFINITY;
  private to = Number.NEGATIVE_INFINITY;

  constructor(source: ImportSource) {
    const none = { conversations: 0, messages: 0, branches: 0, files: 0 };
    this.told = { source, ...none, alreadyHere: 0, extended: 0, leftAlone: 0 };
  }

  add(conversation: ImportedConversation, plan: ImportPlan): void {
    for (const { what, count } of conversation.leftOut) this.left.add(what, count);
    if (plan.outcome === "empty" || plan.outcome === "too_large") {
      this.left.add(plan.outcome === "empty" ? "empty_conversation" : "broken_conversation");
      return;
    }
    this.told.conversations++;
    this.told.messages += conversation.messages.length;
    this.told.branches += branchesOf(conversation.messages);
    this.told.files += new Set(conversation.messages.flatMap(({ message }) => filesNamed(message))).size;
    if (plan.outcome === "already_here") this.told.alreadyHere++;
    else if (plan.outcome === "extended") this.told.extended++;
    else if (plan.outcome !== "imported") this.told.leftAlone++;
    if (Number.isFinite(conversation.createdAt)) this.from = Math.min(this.from, conversation.createdAt);
    if (Number.isFinite(conversation.updatedAt)) this.to = Math.max(this.to, conversation.updatedAt);
  }

  toPreview(): SourcePreview {
    return { ...this.told, from: toDate(this.from), to: toDate(this.to), leftOut: this.left.list() };
  }
}

/** Versions beside the first at each place. */
function branchesOf(messages: readonly ImportedMessage[]): number {
  const parents = new Set(messages.map(({ parentId }) => parentId));
  return messages.length - parents.size;
}

/** Dates end before 275,760. */
const toDate = (ms: number): string | null => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);
