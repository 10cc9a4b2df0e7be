import { expect, test } from "vitest";
import { openSharedStores } from "./testing/temp-store";
import type { ApiTokenRow } from "./token-ports";

const grant = { clientId: "c", code: "k", family: "f", refresh: "r0", endsAt: 9 };
const row: ApiTokenRow = {
  ...{ id: "a", userId: "ann", name: "An editor", start: "mgr_abc", scopes: ["mcp"], options: {} },
  ...{ createdAt: 1, expiresAt: 5, lastUsedAt: null, grant },
};

test("of instances that refresh the token of a program at once one does, and all know it by the same value", async () => {
  const stores = await openSharedStores(2);
  const [one, other] = stores;
  await one?.tokens.add({ ...row, tokenHash: "h0" }, 2);
  const won = await Promise.all(
    [...stores, ...stores, ...stores].map(({ tokens }, at) =>
      tokens.renew("a", "h0", {
        ...{ tokenHash: `h${at + 1}`, start: "mgr_n", expiresAt: 7 },
        grant: { ...grant, refresh: `r${at + 1}` },
      }),
    ),
  );
  expect(won.filter(Boolean)).toHaveLength(1);
  const at = won.indexOf(true) + 1;
  for (const { tokens } of stores)
    expect(await tokens.byId("a")).toMatchObject({ tokenHash: `h${at}`, grant: { refresh: `r${at}` } });
  await other?.tokens.revoke("ann", "a", 8, 2);
  expect(await one?.tokens.byHash(`h${at}`)).toBeUndefined();
});
