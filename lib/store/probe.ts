import type { Engine } from "./engine";

/** More than the room that any page has left, so that each probe needs new pages. */
const probeText = JSON.stringify("x".repeat(16_384));
/** A locked file blocks the process while a probe waits for it. */
const freshMs = 5_000;

/** A check that both files take a write: a row comes and goes, at most once in 5 s; callers in between share its outcome. */
export function openProbe({ records, log }: Pick<Engine, "records" | "log">): () => Promise<void> {
  const run = async () => {
    const setting = { user_id: "system", key: "probe", value: probeText };
    await records
      .insertInto("setting")
      .values(setting)
      .onConflict((conflict) => conflict.columns(["user_id", "key"]).doUpdateSet({ value: probeText }))
      .execute();
    await records.deleteFrom("setting").where("user_id", "=", "system").where("key", "=", "probe").execute();
    // No run has this key.
    const event = { run: 0, first: 1, last: 1, at: 0, data: probeText };
    await log
      .insertInto("event_range")
      .values(event)
      .onConflict((conflict) => conflict.columns(["run", "first"]).doUpdateSet({ data: probeText }))
      .execute();
    await log.deleteFrom("event_range").where("run", "=", 0).execute();
  };
  let last: { at: number; outcome: Promise<void> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.at > freshMs) last = { at: now, outcome: run() };
    return last.outcome;
  };
}
