import type { Chunk } from "@/lib/protocol/chunk";
import type { RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";

const maxNamed = 10;

/** Servers that were chosen and are not configured any more: told of once, in the first loop. The answer goes without them. */
export function tellMissing(
  { pool }: RunDeps,
  { options, continues }: RunRow,
  stream: AsyncIterable<Chunk>,
): AsyncIterable<Chunk> {
  const missing = continues === null ? (options.servers?.filter((name) => !pool.server(name)) ?? []) : [];
  return missing.length > 0 ? afterIteration(stream, words(missing)) : stream;
}

async function* afterIteration(stream: AsyncIterable<Chunk>, message: string): AsyncGenerator<Chunk, void> {
  let isTold = false;
  for await (const chunk of stream) {
    yield chunk;
    if (chunk.type !== "iteration" || isTold) continue;
    isTold = true;
    yield { type: "notice", kind: "server", message, ...(chunk.agent && { agent: chunk.agent }) };
  }
}

function words(missing: readonly string[]): string {
  const named = [...missing.slice(0, maxNamed), ...(missing.length > maxNamed ? ["…"] : [])];
  return `Removed from the settings, so not used in this answer: ${named.join(", ")}.`;
}
