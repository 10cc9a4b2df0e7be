import { existsSync } from "node:fs";
import { join as joinPath } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { isRunning } from "@/lib/mcp/testing/test-pool";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { becomes, serverOf } from "./testing/servers";

const server = "lib/mcp/testing/fixture-server.mjs";
const secret = (name: string) => `\${secret:${name}}`;
const keyed = (way: string): object => ({
  command: "node",
  args: [server, way],
  env: { DESK_TOKEN: secret("TOKEN"), DESK_FOLDER: `\${dataFolder}` },
  scope: "user",
});

withApplication(
  {
    desk: keyed("plain"),
    moved: keyed("plain"),
    plain: { command: "node", args: [server, "plain"], scope: "user" },
    shared: { command: "node", args: [server, "plain"] },
  },
  { AUTH: "accounts", TOOL_APPROVAL: "allow" },
);

let admin: TestPerson;
let ben: TestPerson;
let cleo: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  for (const person of [admin, ben, cleo]) await person.call("PATCH", "/api/settings", { titles: "words" });
});

const store = (person: TestPerson, name: string, TOKEN: string | null) =>
  person.call("PATCH", `/api/mcp/servers/${name}/secrets`, { TOKEN });
/** The process of this person, which nobody but the pool tells. */
const pidOf = async ({ id }: TestPerson, name: string) => (await getDeps()).pool.of(id).server(name)?.pid;
/** What the process that answers a call of this person was started with. */
async function environmentOf(person: TestPerson, name: string): Promise<Record<string, string>> {
  const { chunks } = await readStream(
    await person.call("POST", "/api/chat", {
      message: { text: `/tool ${name}__environment {"hex":true}` },
      model: "demo/demo",
    }),
  );
  const [result] = chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result : []));
  const [part] = result?.content ?? [];
  return JSON.parse(Buffer.from(part?.type === "text" ? part.text : "", "hex").toString("utf8"));
}

test("a call goes to the process of its person, which was started with their secret and has a folder of theirs", async () => {
  await becomes(ben, "desk", "failed");
  expect(await serverOf(ben, "desk")).toMatchObject({
    scope: "user",
    config: {},
    approvalForm: {},
    pid: null,
    secrets: [{ name: "TOKEN", stored: false, used: true }],
  });
  for (const [person, token] of [
    [ben, "the-token-of-ben"],
    [cleo, "the-token-of-cleo"],
  ] as const) {
    expect((await store(person, "desk", token)).status).toBe(200);
    await becomes(person, "desk", "ready");
  }
  await becomes(admin, "desk", "failed");
  const environments = await Promise.all([environmentOf(ben, "desk"), environmentOf(cleo, "desk")]);
  const { DATA_DIR = "" } = process.env;
  const folderOf = ({ id }: TestPerson) => joinPath(DATA_DIR, "people", id);
  for (const [at, person] of [ben, cleo].entries()) {
    expect(environments[at]).toMatchObject({
      DESK_TOKEN: `the-token-of-${["ben", "cleo"][at]}`,
      DESK_FOLDER: folderOf(person),
    });
    expect(existsSync(folderOf(person))).toBe(true);
  }
});

test("with another command each is asked for their secret anew", async () => {
  await store(ben, "moved", "for-the-first-command");
  await becomes(ben, "moved", "ready");
  const { config } = await serverOf(admin, "moved");
  await admin.call("PATCH", "/api/mcp/servers/moved", { config: { ...config, args: [server, "meta"] } });
  const { approvalHash: hash } = await serverOf(admin, "moved");
  expect((await admin.call("POST", "/api/mcp/servers/moved/approve", { hash })).status).toBe(200);
  await becomes(ben, "moved", "failed");
  expect((await serverOf(ben, "moved")).secrets).toEqual([{ name: "TOKEN", stored: false, used: true }]);
  // What starts the same thing for others keeps it.
  await store(ben, "moved", "for-the-second-command");
  await becomes(ben, "moved", "ready");
  await admin.call("PATCH", "/api/mcp/servers/moved", {
    config: { ...config, args: [server, "meta"], timeout: 9_000 },
  });
  expect((await serverOf(ben, "moved")).secrets).toMatchObject([{ stored: true }]);
});

test("a member starts their own process again, and none that all share", async () => {
  await becomes(ben, "plain", "ready");
  await becomes(cleo, "plain", "ready");
  const [before, other] = [await pidOf(ben, "plain"), await pidOf(cleo, "plain")];
  expect((await ben.call("POST", "/api/mcp/servers/plain/restart", {})).status).toBe(200);
  await vi.waitFor(() => expect(isRunning(before)).toBe(false), { timeout: 5_000 });
  await becomes(ben, "plain", "ready");
  expect(await pidOf(ben, "plain")).not.toBe(before);
  expect(await pidOf(cleo, "plain")).toBe(other);
  expect((await ben.call("POST", "/api/mcp/servers/shared/restart", {})).status).toBe(403);
  for (const [method, path, body] of [
    ["POST", "sleep", {}],
    ["PATCH", "", { enabled: false }],
    ["DELETE", "", undefined],
    ["GET", "logs", undefined],
  ] as const)
    expect((await ben.call(method, `/api/mcp/servers/plain/${path}`.replace(/\/$/, ""), body)).status).toBe(
      403,
    );
});

test("the processes of who is switched off end, and the folder of who is deleted goes", async () => {
  const dora = await join(admin, "Dora");
  await becomes(dora, "plain", "ready");
  const pid = await pidOf(dora, "plain");
  expect(isRunning(pid)).toBe(true);
  expect((await admin.call("PATCH", `/api/users/${dora.id}`, { disabled: true })).status).toBe(200);
  await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 5_000, interval: 20 });

  const folder = joinPath(process.env.DATA_DIR ?? "", "people", dora.id);
  expect(existsSync(folder)).toBe(true);
  expect((await admin.call("DELETE", `/api/users/${dora.id}`)).status).toBe(200);
  await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 10_000 });
});

test("a scope beside a url, or an unknown one, is refused with the name of the field", async () => {
  for (const [config, message] of [
    [{ url: "https://mcp.example.com/mcp", scope: "user" }, 'wrong.scope: is for a "command"'],
    [{ command: "node", scope: "person" }, "wrong.scope: "],
  ] as const) {
    const response = await admin.call("POST", "/api/mcp/servers", { name: "wrong", config });
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toContain(message);
  }
});
