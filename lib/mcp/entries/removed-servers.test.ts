import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { RemovedServers } from "./removed-servers";

test("a server is not forgotten before all that is kept of it is deleted, also where that of another one could not be", async () => {
  const ended = Promise.withResolvers<void>();
  const tries: string[] = [];
  const removed = new RemovedServers(
    { servers: new Map(), error: null, isApproved: () => true },
    async (name) => {
      tries.push(name);
      if (name === "slow") await ended.promise;
      else if (tries.length === 1) throw new Error("The disk is full.");
    },
  );
  removed.forget(["bad", "slow"]);
  let isForgotten = false;
  const forgotten = removed.whenForgotten().then(() => {
    isForgotten = true;
  });
  for (let count = 0; count < 5; count++) await turn();
  expect(isForgotten).toBe(false);
  ended.resolve();
  await forgotten;
  expect(tries).toEqual(["bad", "slow", "bad"]);
});
