import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listen, streamable } from "@/lib/mcp/testing/http-server";
import type { McpServerItem, McpToolItem } from "@/lib/protocol/mcp";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

let said = "Looks.";
const server = await listen(
  streamable(404, ({ id, method }, _request, response) => {
    if (method !== "tools/list") return false;
    const tools = [{ name: "look", description: said, inputSchema: { type: "object" } }];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }));
    return true;
  }).answer,
);
withApplication({ drift: { url: server.url } }, { AUTH: "accounts", TOOL_APPROVAL: "allow" });
afterAll(() => server.close());

let admin: TestPerson;
let ben: TestPerson;
let cleo: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
});

const path = "/api/mcp/servers/drift";
const get = async (person: TestPerson): Promise<McpServerItem> => (await person.call("GET", path)).json();
const tool = async (person: TestPerson): Promise<McpToolItem | undefined> => (await get(person)).tools[0];
const states = () => Promise.all([admin, ben, cleo].map(async (person) => (await tool(person))?.definition));
const shown = async (person: TestPerson) => ({ tool: "look", hash: (await tool(person))?.hash });
const patch = (person: TestPerson, body: object) => person.call("PATCH", path, body);

/** Everybody is connected anew, and has accepted what was said until then. */
async function change(text: string): Promise<void> {
  for (const person of [admin, ben, cleo]) {
    await vi.waitFor(async () => expect((await tool(person))?.description).toBeDefined(), 10_000);
    await patch(person, { acceptDefinition: await shown(person) });
  }
  said = text;
  await patch(admin, { enabled: false });
  await patch(admin, { enabled: true });
  await vi.waitFor(async () => expect(await states()).toEqual(Array(3).fill("changed")), 15_000);
}

test("at a server that each has a connection to, each accepts a changed tool for themselves, for good", async () => {
  await change("Looks twice.");
  expect((await patch(ben, { acceptDefinition: await shown(ben) })).status).toBe(200);
  expect(await states()).toEqual(["changed", "pinned", "changed"]);
  // Nothing else of it is a member's to change.
  expect((await patch(cleo, { acceptDefinition: await shown(cleo), enabled: false })).status).toBe(403);
  expect((await patch(cleo, { enabled: false })).status).toBe(403);

  const question = { message: { text: "/tool drift__look {}" }, model: "demo/demo" };
  const asked = await readStream(await cleo.call("POST", "/api/chat", question));
  const request = asked.chunks.find((chunk) => chunk.type === "approval_request");
  expect(request).toMatchObject({ reason: "changed_definition" });
  const yes = { requestId: request?.requestId, decision: "approve" };
  expect((await cleo.call("POST", `/api/runs/${asked.runId}/answer`, yes)).status).toBe(200);
  await vi.waitFor(async () => expect(await states()).toEqual(["changed", "pinned", "pinned"]));
});

test("what an admin blocks is blocked for everybody until an admin accepts it", async () => {
  await change("Looks and tells.");
  const blocked = () => Promise.all([admin, ben, cleo].map(async (person) => (await tool(person))?.blocked));
  // Of a member for themselves alone.
  expect((await patch(ben, { blockDefinition: await shown(ben) })).status).toBe(200);
  expect(await blocked()).toEqual([false, true, false]);
  expect((await patch(admin, { blockDefinition: await shown(admin) })).status).toBe(200);
  expect(await blocked()).toEqual([true, true, true]);
  const refused = await patch(cleo, { acceptDefinition: await shown(cleo) });
  expect([refused.status, (await refused.json()).error.message]).toEqual([
    400,
    "An admin has blocked look for everybody; ask an admin.",
  ]);
  expect((await patch(admin, { acceptDefinition: await shown(admin) })).status).toBe(200);
  expect(await blocked()).toEqual([false, true, false]);
});
