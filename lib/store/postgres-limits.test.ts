import { expect, test } from "vitest";
import { conversation, run } from "./testing/rows";
import { openSharedStores } from "./testing/temp-store";

test("of one person no more runs begin than may, through whichever instance", async () => {
  const stores = await openSharedStores(2);
  const begin = (n: number) =>
    stores[n % 2]?.runs.begin(run(`r${n}`, { conversationId: `c${n}` }), {
      conversation: conversation({ id: `c${n}` }),
      most: 3,
    });
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => begin(n)));
  const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
  expect(refused).toEqual(Array.from({ length: 5 }, () => "too_many"));
  expect(await stores[0]?.runs.withStatus("running")).toHaveLength(3);
  // Nothing of what was refused is stored.
  expect((await stores[1]?.conversations.list("ann", { limit: 10 }))?.items).toHaveLength(3);
});
