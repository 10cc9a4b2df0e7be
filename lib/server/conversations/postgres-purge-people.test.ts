import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import { addPerson } from "@/lib/store/testing/people";
import { conversation, run, runEnd } from "@/lib/store/testing/rows";
import { openSharedStores } from "@/lib/store/testing/temp-store";
import { purgePeople } from "./purge-people";

test("a conversation of a deleted person goes when the run in it has ended elsewhere, and no others are read for it", async () => {
  const [here, there] = await openSharedStores(2);
  if (!here || !there) throw new Error("There are two.");
  await addPerson(here, "root", { role: "admin" });
  await addPerson(here, "ann");
  await there.runs.begin(run("r1"), { conversation: conversation() });
  await here.deletedPeople.begin("ann", 5);
  const withStatus = vi.fn(here.runs.withStatus);
  const deps = {
    store: { ...here, runs: { ...here.runs, withStatus } },
    ...{ log: pino({ level: "silent" }), runs: new LiveRuns(), turns: new KeyedMutex() },
    ...{ files: { delete: async () => {} }, forgetServers: async () => {} },
  };
  const purge = () => purgePeople(deps, { isClosed: () => false });
  await purge();
  expect((await there.runs.get("ann", "r1"))?.status).toBe("running");
  expect(await here.deletedPeople.unfinished()).toHaveLength(1);
  await there.runs.finish("r1", { status: "completed", iterations: [], endedAt: 5, result: runEnd() }, []);
  await purge();
  expect(await here.runs.get("ann", "r1")).toBeUndefined();
  expect(await here.deletedPeople.unfinished()).toEqual([]);
  // A person may have left thousands of conversations, and others write hundreds of answers.
  expect(withStatus).not.toHaveBeenCalled();
});
