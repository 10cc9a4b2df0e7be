import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listen, streamable } from "@/lib/mcp/testing/http-server";
import type { Role } from "@/lib/protocol/accounts";
import type { McpServerList } from "@/lib/protocol/mcp";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { Roles } from "@/lib/server/accounts/roles";
import { getDeps } from "@/lib/server/entry/deps";
import { isOnPostgres } from "@/lib/server/testing/on-sqlite";
import { callApi, readStream, withApplication } from "./testing/call-api";
import { readMcpFile, writeMcpFile } from "./testing/mcp-file";
import { join, password, signUp, stranger, type TestPerson, toPerson } from "./testing/people";
import { becomes, serverNamesOf, serverOf } from "./testing/servers";

const remote = await listen(streamable().answer);
const entry = (way: string) => ({
  ...{ command: "node", args: ["lib/mcp/testing/fixture-server.mjs", way], perInstance: true },
});
const everything = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/** The tools that each request of the model had, and when its second turn goes on. */
const offered: string[][] = [];
const mayGoOn = Promise.withResolvers<void>();
const model = await startOpenAiServer(
  ({ tools, toolResults }) => {
    offered.push(tools);
    const call = (name: string) => ({ type: "calls" as const, calls: [{ name }] });
    if (toolResults.length === 0) return [call("open__echo")];
    if (toolResults.length === 1) return [{ type: "until", done: mayGoOn.promise }, call("vault__echo")];
    return [say("Done.")];
  },
  { models: ["test-model"] },
);

withApplication(
  {
    vault: { ...entry("plain"), roles: ["admin"] },
    far: { url: remote.url, roles: ["admin"] },
    gallery: { command: "node", args: [everything], roles: ["admin"] },
    open: entry("plain"),
    drawer: { ...entry("plain"), roles: ["admin"] },
    shelf: entry("plain"),
    shop: { url: remote.url, roles: ["admin"] },
    both: { ...entry("plain"), roles: ["member", "admin"] },
  },
  {
    AUTH: "accounts",
    TOOL_APPROVAL: "allow",
    OPENAI_BASE_URL: model.url,
    MEMBERS_PRIVATE_HOSTS: `127.0.0.1:${remote.port}`,
  },
);
afterAll(() => Promise.all([remote.close(), model.close()]));

/** Those whose entries no test changes. */
const fixed = ["vault", "far", "gallery", "open", "both"];

let admin: TestPerson;
let ben: TestPerson;
let cleo: TestPerson;
let dora: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [ben, cleo, dora] = [await join(admin, "Ben"), await join(admin, "Cleo"), await join(admin, "Dora")];
  for (const person of [admin, ben, cleo, dora])
    await person.call("PATCH", "/api/settings", { titles: "words" });
});

/** The person signs in again after it, as what an admin had open has ended. */
async function giveRole({ id, email }: TestPerson, role: Role): Promise<TestPerson> {
  expect((await admin.call("PATCH", `/api/users/${id}`, { role })).status).toBe(200);
  return toPerson(await callApi("POST", "/api/auth/sign-in/email", { email, password }, stranger));
}
const ask = async (person: TestPerson, text: string) =>
  readStream(await person.call("POST", "/api/chat", { message: { text }, model: "demo/demo" }));
const resultsOf = ({ chunks }: Awaited<ReturnType<typeof readStream>>) =>
  chunks.flatMap((chunk) => (chunk.type === "tool_result" ? chunk.result : []));
const editFile = async (change: (servers: Record<string, object>) => void) => {
  const file = JSON.parse(await readMcpFile());
  change(file.mcpServers);
  await writeMcpFile(JSON.stringify(file));
};
const answered = async (response: Response) => [response.status, await response.text()] as const;

test("who has another role finds the server nowhere: each answer is the one for an unknown server", async () => {
  for (const name of ["vault", "far", "gallery", "open", "both"]) await becomes(admin, name, "ready");
  expect(await serverNamesOf(admin)).toEqual(
    expect.arrayContaining(["vault", "far", "gallery", "open", "both"]),
  );
  expect((await serverNamesOf(ben)).filter((name) => fixed.includes(name))).toEqual(["open", "both"]);
  expect((await serverOf(admin, "vault")).config.roles).toEqual(["admin"]);
  expect((await serverOf(ben, "both")).config).not.toHaveProperty("roles");

  const uri = "demo://resource/static/document/features.md";
  for (const [method, path, body] of [
    ["GET", "/api/mcp/servers/NAME", undefined],
    ["PATCH", "/api/mcp/servers/NAME", { enabled: false }],
    ["PATCH", "/api/mcp/servers/NAME", { acceptDefinition: { tool: "echo", hash: "x" } }],
    ["DELETE", "/api/mcp/servers/NAME", undefined],
    ["GET", "/api/mcp/servers/NAME/definitions", undefined],
    ["GET", "/api/mcp/servers/NAME/icon", undefined],
    ["GET", "/api/mcp/servers/NAME/logs", undefined],
    ["GET", "/api/mcp/servers/NAME/requests", undefined],
    ["POST", "/api/mcp/servers/NAME/requests", { tool: "echo", name: "One", args: {} }],
    ["PATCH", "/api/mcp/servers/NAME/secrets", { KEY: "x" }],
    ["POST", "/api/mcp/servers/NAME/approve", { hash: "x" }],
    ["POST", "/api/mcp/servers/NAME/login", {}],
    ["POST", "/api/mcp/servers/NAME/logout", {}],
    ["POST", "/api/mcp/servers/NAME/restart", {}],
    ["POST", "/api/mcp/servers/NAME/sleep", {}],
    ["POST", "/api/mcp/servers/NAME/tools/echo/call", { args: {} }],
    ["POST", "/api/mcp/prompts/get", { server: "NAME", name: "simple-prompt", args: {} }],
    ["POST", "/api/mcp/resources/read", { server: "NAME", uri }],
    ["POST", "/api/mcp/skills/read", { server: "NAME", uri }],
    ["POST", "/api/mcp/apps/open", { server: "NAME", uri: "ui://app" }],
    ["POST", "/api/mcp/apps/read", { server: "NAME", uri }],
    ["POST", "/api/mcp/apps/call", { server: "NAME", tool: "echo", args: {} }],
    [
      "POST",
      "/api/mcp/complete",
      { server: "NAME", ref: { type: "resource", uri }, argument: { name: "a", value: "" } },
    ],
  ] as const)
    for (const name of ["vault", "far", "gallery"]) {
      const as = (at: string) =>
        ben.call(
          method,
          path.replace("NAME", at),
          body && JSON.parse(JSON.stringify(body).replace("NAME", at)),
        );
      const [foreign, unknown] = [await answered(await as(name)), await answered(await as("nope"))];
      expect([path, foreign[0], foreign[1].replaceAll(name, "nope")]).toEqual([path, ...unknown]);
      expect(foreign[0]).toBeGreaterThanOrEqual(400);
    }

  const lists = ["prompts", "resources", "skills"];
  for (const list of lists)
    expect(await (await ben.call("GET", `/api/mcp/${list}`)).text()).not.toContain('"gallery"');
  expect(await (await admin.call("GET", "/api/mcp/prompts")).text()).toContain('"gallery"');
  expect(await (await admin.call("GET", "/api/mcp/resources")).text()).toContain('"gallery"');
});

test("no tool of it is in a run of who does not have it, and the calls of who has it go", async () => {
  for (const tool of ["vault__echo", "far__look"]) {
    const [result] = resultsOf(await ask(ben, `/tool ${tool} {}`));
    expect(result?.status).not.toBe("ok");
    const words = JSON.stringify(result?.content);
    expect(words).toContain(`There is no tool ${tool}. Available tools: `);
    expect(words.replace(tool, "")).not.toMatch(/vault|far|gallery/);
    expect(resultsOf(await ask(admin, `/tool ${tool} {}`))[0]?.status).toBe("ok");
  }
  expect(resultsOf(await ask(ben, "/tool open__echo {}"))[0]?.status).toBe("ok");
});

test("another role counts at once: for what is connected, and for the next turn and call of an answer that goes on", async () => {
  cleo = await giveRole(cleo, "admin");
  await becomes(cleo, "far", "ready");
  expect(await serverNamesOf(cleo)).toEqual(expect.arrayContaining(fixed));
  const view = (await getDeps()).pool.of(cleo.id);
  const begun = await cleo.call("POST", "/api/chat", {
    ...{ message: { text: "Use the vault." }, model: "openai/test-model" },
  });
  await vi.waitFor(() => expect(offered).toHaveLength(2), { timeout: 10_000 });
  expect(offered[1]).toContain("vault__echo");

  cleo = await giveRole(cleo, "member");
  expect(view.tool("vault__echo")).toBeUndefined();
  expect(view.tool("far__look")).toBeUndefined();
  await expect(view.call("vault", "echo", {}, new AbortController().signal)).rejects.toThrow(
    "There is no server",
  );
  mayGoOn.resolve();
  // The first reader has been sent away with everything that an admin follows, and whoever comes within a second is once more.
  await vi.waitFor(() => expect(offered).toHaveLength(3), { timeout: 20_000 });
  const run = `/api/runs/${begun.headers.get("x-run-id")}`;
  await vi.waitFor(
    async () => expect((await (await cleo.call("GET", run)).json()).status).toBe("completed"),
    {
      timeout: 20_000,
    },
  );
  const again = await cleo.call("GET", `${run}/stream`);
  const results = resultsOf(await readStream(again));
  expect(results.map(({ status }) => status)).toEqual(["ok", "error"]);
  expect(JSON.stringify(results[1]?.content)).toContain("There is no tool vault__echo");
  expect(offered[2]).toContain("open__echo");
  expect(offered[2]?.filter((name) => /^(?:vault|far|gallery)__/.test(name))).toEqual([]);
  // Nothing of a connection of their own is left.
  expect(view.server("far")).toBeUndefined();
  expect((await serverNamesOf(cleo)).filter((name) => fixed.includes(name))).toEqual(["open", "both"]);
});

test("a change of the file counts at once, and does not start anything anew", async () => {
  const { pid } = await serverOf(admin, "drawer");
  await editFile(({ drawer }) => delete (drawer as { roles?: unknown }).roles);
  await becomes(ben, "drawer", "ready");
  expect(resultsOf(await ask(ben, "/tool drawer__echo {}"))[0]?.status).toBe("ok");
  await admin.call("PATCH", "/api/mcp/servers/drawer", {
    config: { ...(await serverOf(admin, "drawer")).config, roles: ["admin"] },
  });
  expect(await serverNamesOf(ben)).not.toContain("drawer");
  expect(await serverOf(admin, "drawer")).toMatchObject({ pid, status: "ready" });
});

test("an admin can approve what is not for admins, and has it no longer then", async () => {
  const config = { ...entry("plain"), roles: ["member"] };
  expect((await admin.call("POST", "/api/mcp/servers", { name: "desk", config })).status).toBe(201);
  const waiting = await serverOf(admin, "desk");
  expect(waiting.status).toBe("needs_approval");
  const { approvalHash: hash } = waiting;
  const approved = await admin.call("POST", "/api/mcp/servers/desk/approve", { hash });
  expect([approved.status, (await approved.json()).name]).toEqual([200, "desk"]);
  await becomes(ben, "desk", "ready");
  expect(await serverNamesOf(admin)).not.toContain("desk");
  expect(resultsOf(await ask(admin, "/tool desk__echo {}"))[0]?.status).not.toBe("ok");

  const roles = ["member"];
  const moved = await admin.call("PATCH", "/api/mcp/servers/shelf", { config: { ...entry("plain"), roles } });
  expect([moved.status, (await moved.json()).name]).toEqual([200, "shelf"]);
  expect((await admin.call("GET", "/api/mcp/servers/shelf")).status).toBe(404);
  await editFile((servers) => Object.assign(servers, { shelf: entry("plain") }));
  await becomes(admin, "shelf", "ready");
});

test("the name of a server that somebody does not have is free for one of theirs, and nothing kept for it counts for the other", async () => {
  const add = () => dora.call("POST", "/api/mcp/servers", { name: "shop", config: { url: remote.url } });
  expect((await add()).status).toBe(201);
  await becomes(dora, "shop", "ready");
  expect((await serverOf(dora, "shop")).owner).toBe(dora.id);
  await dora.call("PATCH", "/api/settings", { rules: [{ pattern: "mcp:shop:look", effect: "allow" }] });
  const rulesOf = async () => (await (await dora.call("GET", "/api/settings")).json()).rules;
  expect(await rulesOf()).toHaveLength(1);

  dora = await giveRole(dora, "admin");
  expect(await rulesOf()).toEqual([]);
  expect(await serverOf(dora, "shop")).toMatchObject({ owner: "operator", hidesOwn: true });
  dora = await giveRole(dora, "member");
  expect((await serverOf(dora, "shop")).owner).toBe(dora.id);

  await dora.call("PATCH", "/api/settings", { rules: [{ pattern: "mcp:shop:look", effect: "allow" }] });
  expect(await rulesOf()).toHaveLength(1);
  // Who changes a row forgets: another instance has done so already.
  if (isOnPostgres) await admin.call("PATCH", "/api/mcp/servers/shop", { config: { url: remote.url } });
  else await editFile(({ shop }) => delete (shop as { roles?: unknown }).roles);
  await vi.waitFor(async () => expect(await rulesOf()).toEqual([]), { timeout: 10_000 });
  expect((await serverOf(dora, "shop")).owner).toBe("operator");
});

test("a wrong value is refused with the name of the field", async () => {
  for (const roles of [[], "admin", ["owner"], ["admin", "admin"], null]) {
    const config = { ...entry("plain"), roles };
    const response = await admin.call("POST", "/api/mcp/servers", { name: "wrong", config });
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toMatch(/^wrong\.roles: /);
  }
  await editFile((servers) => Object.assign(servers, { wrong: { ...entry("plain"), roles: ["owner"] } }));
  await vi.waitFor(
    async () =>
      expect(
        ((await (await admin.call("GET", "/api/mcp/servers")).json()) as McpServerList).fileError?.message,
      ).toContain("mcpServers.wrong.roles: must be "),
    { timeout: 10_000 },
  );
  // What is in force stays so.
  expect(await serverNamesOf(ben)).not.toContain("vault");
  await editFile((servers) => delete servers.wrong);
});

test("the roles are known after a start", async () => {
  const roles = await Roles.open(await getDeps());
  expect([roles.of(admin.id), roles.of(ben.id), roles.of("nobody")]).toEqual(["admin", "member", undefined]);
});
