import { sql } from "kysely";
import { expect, test } from "vitest";
import { addPerson } from "./testing/people";
import { openTempStore, tempDir } from "./testing/temp-store";

test("people, their sessions and invitations outlive the deletion of everything, and a restart", async () => {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  await addPerson(store, "ann", { role: "admin", founder: 1 });
  await store.invitations.add(
    {
      ...{ id: "i", tokenHash: "h", email: null, role: "member", invitedBy: "ann" },
      ...{ createdAt: Date.now(), expiresAt: Date.now() + 60_000, usedAt: null },
    },
    10,
  );
  await store.empty();
  await store.close();
  const later = await openTempStore({ dataDir });
  expect(await later.accounts.hasFounder()).toBe(true);
  expect((await later.accounts.sessions("ann")).map(({ id }) => id)).toEqual(["s-ann"]);
  expect(await later.invitations.list(Date.now())).toMatchObject([{ id: "i", from: "ann" }]);
  const { db } = later.accounts.database;
  const { rows } = await sql<{ password: string }>`select password from account_credential`.execute(db);
  expect(rows).toEqual([{ password: "x" }]);
});

test("who has nothing to sign in with is deleted, also as the first admin", async () => {
  const store = await openTempStore();
  await addPerson(store, "ann", { role: "admin", founder: 1, unfinished: true });
  await addPerson(store, "ben");
  await store.accounts.deleteUnfinished();
  expect(await store.accounts.hasFounder()).toBe(false);
  expect((await store.accounts.people({ limit: 10 })).items.map(({ id }) => id)).toEqual(["ben"]);
});

test("an invitation whose sign-up was cut short can be used again, and one that made an account cannot", async () => {
  const store = await openTempStore();
  await addPerson(store, "ann", { role: "admin", founder: 1 });
  const now = Date.now();
  const sent = { email: null, role: "member" as const, invitedBy: "ann", createdAt: now, usedAt: null };
  for (const id of ["cut", "done"]) {
    await store.invitations.add({ ...sent, id, tokenHash: id, expiresAt: now + 60_000 }, 10);
    expect(await store.invitations.claim(id, now, `${id}@example.com`)).toBe(true);
  }
  await addPerson(store, "cut", { unfinished: true });
  await addPerson(store, "done");
  await store.accounts.deleteUnfinished();
  await store.invitations.releaseUnfinished();
  expect(await store.invitations.claim("cut", now, "cut@example.com")).toBe(true);
  expect(await store.invitations.claim("done", now, "done@example.com")).toBe(false);
});

test("of two admins who make members of each other at once one stays", async () => {
  const store = await openTempStore();
  await addPerson(store, "ann", { role: "admin" });
  await addPerson(store, "ben", { role: "admin" });
  const answers = await Promise.all(
    ["ann", "ben"].map((id) => store.accounts.changePerson(id, { role: "member" })),
  );
  expect(answers.filter((answer) => answer === "last_admin")).toHaveLength(1);
});

test("what somebody began who is disabled or deleted ends, and nothing of who was let in again meanwhile", async () => {
  const store = await openTempStore();
  for (const id of ["ann", "ben", "cleo"]) await addPerson(store, id);
  const { db } = store.accounts.database;
  const begun = await db.selectFrom("account_session").selectAll().execute();
  for (const id of ["ann", "ben"]) await store.accounts.changePerson(id, { disabled: true });
  await store.accounts.changePerson("ben", { disabled: false });
  await store.deletedPeople.begin("cleo", Date.now());
  await db.deleteFrom("account_session").execute();
  // As a sign-in stores it that was under way when the person was shut out.
  const late = begun.filter(({ user_id }) => user_id !== "cleo");
  await db.insertInto("account_session").values(late).execute();
  expect(await store.accounts.endBarred("ann")).toEqual(["s-ann"]);
  expect(await store.accounts.endBarred("ben")).toEqual([]);
  expect(await store.accounts.endBarred("cleo")).toEqual([]);
  expect(await db.selectFrom("account_session").select("id").execute()).toEqual([{ id: "s-ben" }]);
});

test("people are paged by name, and sessions beyond so many end, the longest unseen first", async () => {
  const store = await openTempStore();
  for (const id of ["cleo", "ann", "ben"]) await addPerson(store, id);
  const first = await store.accounts.people({ limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual(["ann", "ben"]);
  const rest = await store.accounts.people({ limit: 2, cursor: first.nextCursor ?? "" });
  expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([["cleo"], null]);
  const { db } = store.accounts.database;
  const session = await db
    .selectFrom("account_session")
    .selectAll()
    .where("id", "=", "s-ann")
    .executeTakeFirst();
  if (session)
    await db
      .insertInto("account_session")
      .values({ ...session, id: "new", token: "new" })
      .execute();
  await store.accounts.noteSeen("ann", "s-ann", Date.parse("2020-01-01"));
  // One that has just begun, and was never seen, is newer than one that was seen long ago.
  expect(await store.accounts.endSurplusSessions("ann", 1)).toEqual(["s-ann"]);
  expect((await store.accounts.person("ann"))?.lastSeenAt).toBe(Date.parse("2020-01-01"));
});

test("links for a new password that a former admin may have made end with the role, and not with that of a member", async () => {
  const store = await openTempStore();
  for (const id of ["ann", "ben"]) await addPerson(store, id, { role: "admin" });
  for (const id of ["cleo", "dan"]) await addPerson(store, id);
  const { db } = store.accounts.database;
  const at = new Date().toISOString();
  await db
    .insertInto("account_verification")
    .values({ id: "v", identifier: "i", value: "dan", expires_at: at, created_at: at, updated_at: at })
    .execute();
  const links = async () => (await db.selectFrom("account_verification").select("value").execute()).length;
  await store.accounts.changePerson("cleo", { disabled: true });
  await store.deletedPeople.begin("cleo", Date.now());
  expect(await links()).toBe(1);
  await store.accounts.changePerson("ben", { role: "member" });
  expect(await links()).toBe(0);
});
