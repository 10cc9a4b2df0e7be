import type { ModelChunk } from "@/lib/protocol/chunk";
import type { Provider } from "./ports";

type Next = IteratorResult<ModelChunk>;

/** Changes chunks one by one; no generator, as every token comes through it. */
export function mapTurn(provider: Provider, change: (chunk: ModelChunk) => ModelChunk): Provider {
  const changed = (next: Next): Next => {
    if (next.done) return next;
    const value = change(next.value);
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
