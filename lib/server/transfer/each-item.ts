import { setImmediate as nextTurn } from "node:timers/promises";
import type { ImportProgress } from "@/lib/protocol/imports";
import { withoutInvisible } from "@/lib/protocol/show-invisible";
import { untitled } from "@/lib/server/title";
import type { ExportItem, OpenExport } from "./read-export";

export type OnProgress = (progress: ImportProgress) => void;

/** Others get their turn between two conversations; who has gone is noticed there. */
export async function eachItem(
  found: OpenExport,
  signal: AbortSignal,
  onProgress: OnProgress | undefined,
  handle: (item: ExportItem) => Promise<void>,
): Promise<void> {
  const total = onProgress ? await found.count(signal) : 0;
  let done = 0;
  for await (const item of found.items()) {
    signal.throwIfAborted();
    await handle(item);
    const title = item.kind === "conversation" ? item.conversation.title : item.title;
    onProgress?.({ done: ++done, total: Math.max(total, done), title: shownTitle(title) });
    await nextTurn();
  }
}

export const shownTitle = (title: string): string => withoutInvisible(title.slice(0, 200)).trim() || untitled;
