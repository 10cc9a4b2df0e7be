import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { ask, ended, historyOf, kindsOf, stored } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import { RunSweep } from "./run-sweep";

const never = new Promise<never>(() => {});

function sweep(app: Parameters<typeof ask>[0]): void {
  const sweeping = new RunSweep(app, 20);
  sweeping.start();
  onTestFinished(() => sweeping.close());
}

test("what others have taken over ends here at once: no line, no end, no call of it comes any more", async () => {
  const app = await startAlone([text("Half "), call("a", "desk__look"), stop("tool_use")], [text("Done.")]);
  app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  const live = app.runs.get(run.id);
  const before = await readWholeLog(app, run.id);
  app.runs.giveUp();
  await live?.ended;
  expect(app.runs.get(run.id)).toBeUndefined();
  expect(live?.tail.isClosed).toBe(true);
  expect(await live?.write({ type: "text", content: "late" })?.catch((cause: Error) => cause.name)).toBe(
    "LostRunError",
  );
  await app.store.quiet();
  expect(await readWholeLog(app, run.id)).toEqual(before);
  expect((await stored(app, run.id)).status).toBe("running");
  expect(app.world.turns).toHaveLength(1);
  expect(app.faults).toEqual([]);
});

test("a run that nobody drives gets its end while the process lives", async () => {
  const app = await startAlone([text("Half "), never]);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  app.runs.giveUp();
  sweep(app);
  await expect.poll(async () => (await stored(app, run.id)).status).toBe("interrupted");
  expect((await historyOf(app, run)).at(-1)).toMatchObject({ parts: [{ text: "Half " }] });
});

test("runs that go on are left alone, and a look that fails is followed by another", async () => {
  const app = await startAlone([text("Half "), never], [text("Done."), stop("end_turn")]);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  app.store.failing("runs.takeOver", new StoreError("io", "away"));
  sweep(app);
  const looks = () => app.store.count("runs.driven");
  await expect.poll(() => app.store.count("runs.takeOver")).toBeGreaterThan(2);
  expect(looks()).toBe(0);
  app.store.failing("runs.takeOver", undefined);
  await expect.poll(looks).toBeGreaterThan(3);
  expect((await stored(app, run.id)).status).toBe("running");
  app.runs.get(run.id)?.abort.abort();
  await ended(app, run);
});
