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
  more: object = {},
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
  holder[key] = Promise.resolve({
    env: { PORT: 3000 },
    secrets: { launchToken: "t" },
    sessions,
    store,
    ...more,
  });
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

test("with accounts a page leads to the one where people sign in, and back from there to itself alone", async () => {
  const personOf = async (headers: Headers) =>
    headers.get("cookie") === "ann" ? { id: "ann", role: "member" } : undefined;
  const open = { expiresAt: null, revokedAt: null };
  const env = { PORT: 3000, PUBLIC_URL: "https://meguri.example" };
  await openWithShares({ open }, { accounts: { personOf }, env });
  const lead = async (path: string, more: Record<string, string> = {}) => {
    const headers = new Headers({ host: "127.0.0.1:3000", ...more });
    const refused = await gate(new URL(`http://127.0.0.1:3000${path}`), headers);
    return refused ? [refused.status, refused.headers.Location] : "passed";
  };
  const at = "http://127.0.0.1:3000/sign-in";
  expect(await lead("/")).toEqual([303, at]);
  expect(await lead("/c/1?at=2&_rsc=x")).toEqual([303, `${at}?next=%2Fc%2F1%3Fat%3D2`]);
  // The launch token's session is for the first admin, and opens no page.
  expect(await lead("/", { cookie: "meguri_3000=a-session" })).toEqual([303, at]);
  expect(await lead("/", { host: "meguri.example" })).toEqual([303, "https://meguri.example/sign-in"]);
  expect(await Promise.all([lead("/sign-in"), lead("/share/open"), lead("/c/1", { cookie: "ann" })])).toEqual(
    Array(3).fill("passed"),
  );
  expect(await lead("/sign-in", { cookie: "ann" })).toEqual([303, "http://127.0.0.1:3000/"]);
  expect(await lead("/sign-in?invitation=i", { cookie: "ann" })).toBe("passed");
});

test("before the application is open a page says that it is starting", async () => {
  expect(await ask("/")).toBe(503);
});
