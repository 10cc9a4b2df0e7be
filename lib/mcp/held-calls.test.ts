import { expect, onTestFinished, test } from "vitest";
import { openDeskServer } from "./testing/desk-server";
import { startPool } from "./testing/start-pool";
import { fixture, textOf } from "./testing/test-pool";

test("once others may have taken over no call leaves this process, over either wire, and servers stay connected", async () => {
  const desk = await openDeskServer();
  onTestFinished(() => desk.close());
  let isHeld = true;
  const { pool, ready, run } = await startPool(
    { desk: desk.config, echo: fixture("plain") },
    { mayCall: () => isHeld },
  );
  await Promise.all([ready("desk"), ready("echo")]);
  isHeld = false;
  for (const name of ["desk__look", "echo__echo"]) {
    const { result } = await run(name, { text: "hello" });
    expect(result.status, name).toBe("error");
    expect(textOf(result)).toBe("Not run: another instance may have taken over this answer.");
  }
  expect(desk.calls).toEqual([]);
  isHeld = true;
  expect((await run("desk__look")).result.status).toBe("ok");
  expect((await run("echo__echo", { text: '"method":"tools/call"' })).result.status).toBe("ok");
  expect(desk.calls).toHaveLength(1);
  expect(pool.list().items.map(({ status }) => status)).toEqual(["ready", "ready"]);
});
