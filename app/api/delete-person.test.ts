import { afterAll, beforeAll, expect, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { purgePeople } from "@/lib/server/conversations/purge-people";
import { getDeps } from "@/lib/server/entry/deps";
import { storedFiles } from "@/lib/server/testing/stored-files";
import { mentions, ownedRows } from "@/lib/server/testing/stored-rows";
import { addPasskey } from "./testing/authenticator";
import { callApi, withApplication } from "./testing/call-api";
import { hanging, haveEverything } from "./testing/everything";
import { invite, join, signUp, stranger, type TestPerson, toPerson } from "./testing/people";

const model = await startOpenAiServer(
  ({ lastUserText }) => (lastUserText.startsWith(hanging) ? [say("One moment."), hang] : [say("An answer.")]),
  { models: ["test-model"] },
);
afterAll(() => model.close());
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

const has = (person: TestPerson) => haveEverything(person.call, person.name, "openai/test-model");
const remove = (by: TestPerson, id: string) => by.call("DELETE", `/api/users/${id}`);
const errorOf = async (answer: Promise<Response>) => {
  const response = await answer;
  return `${response.status} ${(await response.json()).error?.code}`;
};
const link = async (token: string) =>
  (await callApi("GET", `/api/share/${token}`, undefined, stranger)).status;

/** The application starts again on the same data, as after a crash. */
async function restart(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
  await getDeps();
}

/** What is left of somebody: where their id, their name and their address still stand, but for the audit log, which stays. */
const traces = async ({ id, name, email }: TestPerson) => {
  const found = await Promise.all([id, name, email].map(mentions));
  return found.flat().filter((place) => !place.startsWith("account_audit."));
};

test("everything of a deleted person goes, of every kind, and nothing of anybody else's", async () => {
  const [ben, cleo] = [await join(admin, "Benedetta"), await join(admin, "Cleopatra")];
  const [mine, theirs] = [await has(ben), await has(cleo)];
  for (const person of [ben, cleo]) await addPasskey(person);
  // One that is begun and not ended.
  await ben.call("POST", "/api/passkeys/options", {});
  const temporary = await ben.call("POST", "/api/chat", {
    ...{ message: { text: hanging }, model: "openai/test-model", temporary: true },
  });
  await cleo.call("POST", `/api/runs/${theirs.liveRun}/stop`, {});
  await theirs.live;
  const before = await ownedRows(ben.id);
  // Else a kind could be forgotten here.
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
  expect(await link(mine.token)).toBe(200);
  const kept = await ownedRows(cleo.id);
  const runs = before.run?.map(({ id }) => String(id)) ?? [];

  expect((await remove(admin, ben.id)).status).toBe(200);

  await Promise.all([mine.live, temporary.text()]);
  expect(await errorOf(ben.call("GET", "/api/conversations"))).toBe("401 unauthorized");
  expect(await link(mine.token)).toBe(410);
  const deps = await getDeps();
  await deps.retention.wake();
  expect(deps.runs.all().filter(({ row }) => row.userId === ben.id)).toEqual([]);
  expect(await deps.temporary.find(ben.id, temporary.headers.get("x-run-id") ?? "")).toBeUndefined();
  // What is left says that nothing more may be left, until nothing can come any more.
  expect(await traces(ben)).toEqual(["deleted_person.id"]);
  await purgePeople(deps, { isClosed: () => false, now: Date.now() + 11 * 60_000 });
  expect(await traces(ben)).toEqual([]);
  expect((await Promise.all(runs.map(mentions))).flat()).toEqual([]);
  const files = await storedFiles();
  expect(Object.keys(files).filter((name) => mine.files.some((id) => name.startsWith(id)))).toEqual([]);
  for (const id of theirs.files) expect(String(files[id])).toBe("File of Cleopatra");
  expect(await ownedRows(cleo.id)).toEqual(kept);
  expect([await link(mine.token), await link(theirs.token)]).toEqual([410, 200]);
  const found = await (await cleo.call("GET", "/api/search?q=Benedetta")).json();
  expect(found.items).toEqual([]);
});

test("what a process that died has left of somebody is deleted by the next one", async () => {
  const dan = await join(admin, "Dandelion");
  const { token, files, liveRun, live } = await has(dan);
  await dan.call("POST", `/api/runs/${liveRun}/stop`, {});
  await live;
  const deps = await getDeps();
  expect(await deps.store.deletedPeople.begin(dan.id, Date.now())).toMatchObject({ email: dan.email });
  // Signed out and shut before anything of it is gone.
  expect(await errorOf(dan.call("GET", "/api/conversations"))).toBe("401 unauthorized");
  expect(await link(token)).toBe(410);
  let looks = 0;
  await purgePeople(deps, { isClosed: () => ++looks > 1 });
  const left = (await ownedRows(dan.id)).conversation?.length;
  expect(left).toBeGreaterThan(0);
  await restart();
  const next = await getDeps();
  await next.retention.wake();
  expect(await traces(dan)).toEqual(["deleted_person.id"]);
  expect(Object.keys(await storedFiles()).filter((name) => files.some((id) => name.startsWith(id)))).toEqual(
    [],
  );
  expect(await link(token)).toBe(410);
});

test("somebody who is deleted can be invited again, and begins with nothing under another id", async () => {
  const [token, other] = [
    await invite(admin, "member", "eve@example.com"),
    await invite(admin, "member", "eve@example.com"),
  ];
  const eve = await toPerson(await signUp("Eve", token));
  await eve.call("PATCH", "/api/settings", { instructions: "Of the first one." });
  await remove(admin, eve.id);
  // The other invitation would let them in again.
  expect(await errorOf(signUp("Eve", other))).toBe("403 invitation_unknown");
  const again = await toPerson(await signUp("Eve", await invite(admin, "member", "eve@example.com")));
  expect(again.id).not.toBe(eve.id);
  expect((await (await again.call("GET", "/api/conversations")).json()).items).toEqual([]);
  expect((await (await again.call("GET", "/api/settings")).json()).instructions).toBe("");
});

test("members delete nobody, admins not themselves, and somebody is there who can sign in", async () => {
  const [fay, gil] = [await join(admin, "Fay"), await join(admin, "Gil", "admin")];
  expect(await errorOf(remove(fay, gil.id))).toBe("403 forbidden");
  expect(await errorOf(remove(gil, gil.id))).toBe("409 own_account");
  expect(await errorOf(remove(gil, "unknown"))).toBe("404 not_found");
  const { store } = await getDeps();
  await gil.call("PATCH", `/api/users/${gil.id}`, { disabled: true });
  expect(await store.deletedPeople.begin(admin.id, Date.now())).toBe("last_admin");
  await admin.call("PATCH", `/api/users/${gil.id}`, { disabled: false });
  const people = (await (await admin.call("GET", "/api/users")).json()).items as { id: string }[];
  expect(people.map(({ id }) => id)).toEqual(expect.arrayContaining([fay.id, gil.id, admin.id]));
});

test("invitations of a deleted admin are void, and no stranger becomes the first one again", async () => {
  const hana = await join(admin, "Hana", "admin");
  const token = await invite(hana, "admin");
  expect((await remove(admin, hana.id)).status).toBe(200);
  expect(await errorOf(signUp("Ida", token))).toBe("403 invitation_unknown");
  const jun = await join(admin, "Jun", "admin");
  expect((await remove(jun, admin.id)).status).toBe(200);
  expect(await errorOf(signUp("Mallory"))).toBe("403 invitation_needed");
  // Tests come in any order.
  admin = jun;
});
