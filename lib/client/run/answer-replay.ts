import { beginningOf } from "@/lib/protocol/redacted-text";
import { continued, openRunView, reduceRun } from "./reduce-run";
import { emptyRun, type RunView } from "./run-view";
import type { ReplayEvent } from "./share-replay";

/** Events between two views that are kept, so that no moment is far from one. */
const stride = 256;

/** The view of an answer at any time, folded by what the live view is folded by. */
export class AnswerReplay {
  /** Before each `stride`th event. */
  private readonly kept: RunView[] = [emptyRun];
  /** Where it was last: playing goes on from there. */
  private last = { index: 0, view: emptyRun };

  constructor(private readonly events: readonly ReplayEvent[]) {}

  /** `at` is epoch ms. */
  viewAt(at: number): RunView {
    const count = countUntil(this.events, at);
    const newest = this.events[count - 1];
    if (!newest) return emptyRun;
    const share = at >= newest.until ? 1 : (at - newest.at) / (newest.until - newest.at);
    return stepOf(this.before(count - 1), newest, share);
  }

  private before(index: number): RunView {
    const mark = Math.min(Math.floor(index / stride), this.kept.length - 1);
    const isNear = this.last.index <= index && this.last.index >= mark * stride;
    let { index: at, view } = isNear
      ? this.last
      : { index: mark * stride, view: this.kept[mark] ?? emptyRun };
    for (; at < index; at++) {
      view = stepOf(view, this.events[at] as ReplayEvent, 1);
      if ((at + 1) % stride === 0) this.kept[(at + 1) / stride] ??= view;
    }
    this.last = { index, view };
    return view;
  }
}

function stepOf(view: RunView, { step, chunk }: ReplayEvent, share: number): RunView {
  if (step.is === "open") return openRunView(step.runId, view.runId === null ? view : continued(view));
  if (!chunk) return view;
  if (share >= 1 || step.is !== "part" || !("content" in chunk)) return reduceRun(view, chunk);
  const content = chunk.type === "text" && chunk.format ? "" : beginning(chunk.content, share);
  return content === "" ? view : reduceRun(view, { ...chunk, content });
}

/** Not in the middle of a character, nor of a redacted text. */
function beginning(text: string, share: number): string {
  const part = beginningOf(text, Math.round(text.length * share));
  return /[\ud800-\udbff]$/.test(part) ? part.slice(0, -1) : part;
}

/** How many of them have come by then. */
function countUntil(events: readonly ReplayEvent[], at: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle] as ReplayEvent).at <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
