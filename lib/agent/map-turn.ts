import type { ModelChunk } from "@/lib/protocol/chunk";
import { isOne } from "./chunks-in";
import type { ModelChunks, Provider } from "./ports";

type Next = IteratorResult<ModelChunks>;

/** Changes chunks one by one; no generator, as every token comes through it. */
export function mapTurn(provider: Provider, change: (chunk: ModelChunk) => ModelChunk): Provider {
  const changed = (next: Next): Next => {
    if (next.done) return next;
    const value = isOne(next.value) ? change(next.value) : changeAll(next.value, change);
    return value === next.value ? next : { done: false, value };
  };
  return {
    stream: (turn) => ({
      [Symbol.asyncIterator]: () => {
        const chunks = provider.stream(turn)[Symbol.asyncIterator]();
        return {
          next: () => chunks.next().then(changed),
          return: async () => (await chunks.return?.()) ?? { done: true, value: undefined },
        };
      },
    }),
  };
}

/** The same list when nothing changes, as with nearly all of them. */
function changeAll(
  chunks: readonly ModelChunk[],
  change: (chunk: ModelChunk) => ModelChunk,
): readonly ModelChunk[] {
  let changed: ModelChunk[] | undefined;
  let index = 0;
  for (const chunk of chunks) {
    const value = change(chunk);
    if (value !== chunk) {
      changed ??= [...chunks];
      changed[index] = value;
    }
    index++;
  }
  return changed ?? chunks;
}
