import { afterEach, expect, test } from "vitest";
import { hash } from "@/lib/server/secrets";
import { conversation } from "@/lib/store/testing/rows";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { gate } from "./gate";

const holder = globalThis as Record<symbol, unknown>;
const key = Symbol.for("meguri.deps");
afterEach(() => {
  delete holder[key];
});

const hour = 3_600_000;

/** A share for each token, in an application whose store holds nothing else. */
async function openWithShares(
  shares: Record<string, { expiresAt: number | null; revokedAt: number | null }>,
) {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  for (const [token, ends] of Object.entries(shares))
    await store.shares.create({
      id: token,
      userId: "ann",
      conversationId: "c1",
      tokenHash: hash(token),
      title: "A talk",
      views: 0,
      policy: null,
      snapshot: { title: "A talk", createdAt: new Date(0).toISOString(), messages: [], runs: [] },
      createdAt: 1,
      ...ends,
    });
  const sessions = { has: (value: string) => value === "a-session" };
  holder[key] = Promise.resolve({ env: { PORT: 3000 }, secrets: { launchToken: "t" }, sessions, store });
}

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const host = "127.0.0.1:3000";
  const refused = await gate(new URL(`http://${host}${path}`), new Headers({ host, ...headers }));
  return refused?.status ?? "passed";
};

test("a shared page is open until it expires or is revoked, for anybody", async () => {
  const now = Date.now();
  await openWithShares({
    open: { expiresAt: null, revokedAt: null },
    later: { expiresAt: now + hour, revokedAt: null },
    over: { expiresAt: now - 1, revokedAt: null },
    revoked: { expiresAt: null, revokedAt: now - 1 },
    both: { expiresAt: now + hour, revokedAt: now - 1 },
  });
  const tokens = ["open", "later", "over", "revoked", "both", "unknown"];
  expect(await Promise.all(tokens.map((token) => ask(`/share/${token}`)))).toEqual([
    "passed",
    "passed",
    410,
    410,
    410,
    404,
  ]);
});

test("every other page asks for a session, but for the printed address; a wrong host passes nowhere", async () => {
  await openWithShares({ open: { expiresAt: null, revokedAt: null } });
  expect(await ask("/settings")).toBe(401);
  expect(await ask("/settings", { cookie: "meguri_3000=a-session" })).toBe("passed");
  expect(await ask("/settings", { cookie: "meguri_3000=another" })).toBe(401);
  expect([await ask("/?token=anything"), await ask("/c/1?token=anything")]).toEqual(["passed", 401]);
  const host = "evil.example:3000";
  expect([await ask("/share/open", { host }), await ask("/?token=t", { host })]).toEqual([403, 403]);
});

test("before the application is open a page says that it is starting", async () => {
  expect(await ask("/")).toBe(503);
});
