import { beforeAll, expect, onTestFinished, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, withApplication } from "./testing/call-api";
import { join, origin, password, signUp, type TestPerson, toPerson } from "./testing/people";
import { codeOf, makeToken } from "./testing/tokens";

withApplication({ desk: { command: "node", args: ["--version"], disabled: true } }, { AUTH: "accounts" });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

/** A line of somebody: what has come over it, as text, and whether it has ended. */
async function openLine({ call }: Pick<TestPerson, "call">) {
  const answer = await call("GET", "/api/events");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/event-stream; charset=utf-8",
  ]);
  const line = { text: "", hasEnded: false };
  const reader = answer.body?.getReader();
  onTestFinished(() => reader?.cancel());
  const read = async () => {
    for (;;) {
      const next = await reader?.read();
      if (!next?.value) break;
      line.text += Buffer.from(next.value).toString();
    }
    line.hasEnded = true;
  };
  void read();
  await expect.poll(() => line.text).toBe(":\n\n");
  return line;
}

type Line = Awaited<ReturnType<typeof openLine>>;

/** Resolves with what was told, once that is something. */
async function told(line: Line): Promise<string[]> {
  await expect.poll(() => line.text).toContain("event: ");
  const names = [...line.text.matchAll(/^event: (\w+)\ndata: \{\}$/gm)].map(([, name = ""]) => name);
  line.text = "";
  return names;
}

const signIn = async ({ email }: TestPerson) =>
  toPerson(
    await callApi("POST", "/api/auth/sign-in/email", { email, password }, { authorization: "", ...origin }),
  );

test("whoever changes a conversation, each browser of its owner is told, and nobody else's", async () => {
  const [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  const there = await signIn(ben);
  const lines = [await openLine(ben), await openLine(there)];
  const others = [await openLine(cleo), await openLine(admin)];
  const made = await ben.call("POST", "/api/conversations", { title: "A talk" });
  const { id } = (await made.json()) as { id: string };
  for (const line of lines) expect(await told(line)).toEqual(["conversations"]);
  await there.call("PATCH", `/api/conversations/${id}`, { title: "Another" });
  for (const line of lines) expect(await told(line)).toEqual(["conversations"]);
  const asked = await ben.call("POST", "/api/chat", { conversationId: id, message: { text: "Hello." } });
  expect(await asked.text()).toContain("event: end");
  for (const line of lines) expect(await told(line)).toContain("conversations");
  await expect
    .poll(async () => (await (await there.call("GET", `/api/conversations`)).json()).items[0].status)
    .toBe("completed");
  await there.call("DELETE", `/api/conversations/${id}`);
  for (const line of lines) expect(await told(line)).toContain("conversations");
  expect(others.map(({ text }) => text)).toEqual([":\n\n", ":\n\n"]);
});

test("one's own settings are told to oneself, what an admin sets for all to everybody, servers to whom they are there for", async () => {
  const [dan, eve] = [await join(admin, "Dan"), await join(admin, "Eve")];
  const [dans, eves] = [await openLine(dan), await openLine(eve)];
  await dan.call("PATCH", "/api/settings", { displayName: "Dan" });
  expect(await told(dans)).toEqual(["settings"]);
  await dan.call("POST", "/api/mcp/servers", { name: "mine", config: { url: "http://127.0.0.1:9/mcp" } });
  expect(await told(dans)).toContain("servers");
  expect(eves.text).toBe(":\n\n");
  expect((await admin.call("PATCH", "/api/settings", { prices: {} })).status).toBe(200);
  expect(await told(eves)).toEqual(["settings"]);
  expect(await told(dans)).toContain("settings");
  expect((await admin.call("DELETE", "/api/mcp/servers/desk")).status).toBe(200);
  expect(await told(eves)).toEqual(["servers"]);
});

test("a line ends with its session, and with all others of a person who is shut out", async () => {
  const [fay, gil] = [await join(admin, "Fay"), await join(admin, "Gil")];
  const elsewhere = await openLine(await signIn(fay));
  const here = await openLine(fay);
  await fay.call("DELETE", "/api/sessions");
  await expect.poll(() => elsewhere.hasEnded).toBe(true);
  expect(here.hasEnded).toBe(false);
  const gils = await openLine(gil);
  await admin.call("PATCH", `/api/users/${gil.id}`, { disabled: true });
  await expect.poll(() => gils.hasEnded).toBe(true);
  expect(await codeOf(gil.call("GET", "/api/events"))).toBe("401 unauthorized");
  expect(here.hasEnded).toBe(false);
});

test("a token that may read is told, and its line ends when it is deleted", async () => {
  const hana = await join(admin, "Hana");
  const reads = await makeToken(hana, ["read"]);
  const line = await openLine(reads);
  await hana.call("POST", "/api/conversations", {});
  expect(await told(line)).toEqual(["conversations"]);
  await hana.call("DELETE", `/api/tokens/${reads.id}`);
  await expect.poll(() => line.hasEnded).toBe(true);
  expect(await codeOf(callApi("GET", "/api/events", undefined, { authorization: "" }))).toBe(
    "401 unauthorized",
  );
});

test("one line too many is refused with when to try again", async () => {
  const ida = await join(admin, "Ida");
  for (let at = 0; at < 20; at++) await openLine(ida);
  const refused = await ida.call("GET", "/api/events");
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  expect(await codeOf(refused)).toBe("429 too_many_lines");
  expect((await getDeps()).hints.count).toBeGreaterThanOrEqual(20);
});
