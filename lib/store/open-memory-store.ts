import { openMemoryEngine } from "./memory-engine";
import type { MemoryRoom } from "./memory-room";
import { openStoreOn } from "./open-store";
import type { Store } from "./ports";

/** A store that is gone when it is closed, and with the process. `memory_full` is what it says beyond `maxBytes`. */
export async function openMemoryStore(maxBytes: number): Promise<{ store: Store; room: MemoryRoom }> {
  const { engine, room } = await openMemoryEngine(maxBytes);
  return { store: await openStoreOn(engine), room };
}
