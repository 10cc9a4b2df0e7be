import type { CodeToken, HighlightReply } from "./highlight-worker";

/** Longer code stays plain: nobody reads its colours, and the worker is one. */
const maxChars = 50_000;
const maxWaiting = 200;

let worker: Worker | null | undefined;
let lastId = 0;
const waiting = new Map<number, (lines: CodeToken[][] | null) => void>();

/** The tokens of each line, found in a worker; null when the language is not known or no worker can be had. */
export function highlight(code: string, language: string): Promise<CodeToken[][] | null> {
  const thread = open();
  if (!thread || code.length > maxChars || waiting.size >= maxWaiting) return Promise.resolve(null);
  const id = ++lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    thread.postMessage({ id, code, language });
  });
}

function open(): Worker | null {
  if (worker !== undefined) return worker;
  try {
    worker = new Worker(new URL("./highlight-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<HighlightReply>) => {
      waiting.get(data.id)?.(data.lines);
      waiting.delete(data.id);
    };
    worker.onerror = () => {
      for (const resolve of waiting.values()) resolve(null);
      waiting.clear();
      worker = null;
    };
  } catch {
    worker = null;
  }
  return worker;
}
