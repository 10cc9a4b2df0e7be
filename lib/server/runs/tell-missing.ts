import type { Chunk } from "@/lib/protocol/chunk";
import type { Deps } from "@/lib/server/deps";
import type { RunRow } from "@/lib/store/types";

const maxNamed = 10;

/** Servers that were chosen and are not configured any more: told of once, in the first loop. The answer goes without them. */
export async function* tellMissing(
  { pool }: Deps,
  { options, continues }: RunRow,
  stream: AsyncIterable<Chunk>,
): AsyncGenerator<Chunk, void> {
  let missing = continues === null ? (options.servers?.filter((name) => !pool.server(name)) ?? []) : [];
  for await (const chunk of stream) {
    yield chunk;
    if (chunk.type !== "iteration" || missing.length === 0) continue;
    const names = missing.slice(0, maxNamed).join(", ") + (missing.length > maxNamed ? ", …" : "");
    const message = `Not in the configuration any more, so this answer goes without: ${names}.`;
    yield { type: "notice", kind: "server", message, ...(chunk.agent && { agent: chunk.agent }) };
    missing = [];
  }
}
