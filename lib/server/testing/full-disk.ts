import { onTestFinished } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { openTightStore } from "@/lib/store/testing/tight-store";

/** Gives the application an empty store on a full disk until the test ends. Returns what makes room. */
export async function fillDisk(file: "records" | "log"): Promise<() => Promise<void>> {
  const deps = await getDeps();
  const own = deps.store;
  const { store, makeRoom } = await openTightStore(file);
  deps.store = store;
  onTestFinished(async () => {
    deps.store = own;
    await store.close();
  });
  return makeRoom;
}
