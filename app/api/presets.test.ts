import { beforeEach, expect, test } from "vitest";
import type { ServerPreset } from "@/lib/protocol/choice";
import type { Page } from "@/lib/protocol/http";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const path = "/api/mcp/presets";
const list = async () => ((await (await callApi("GET", path)).json()) as Page<ServerPreset>).items;
const add = async (body: unknown) => {
  const response = await callApi("POST", path, body);
  return { status: response.status, body: await response.json() };
};
const patch = async (id: string, body: unknown) => {
  const response = await callApi("PATCH", `${path}/${id}`, body);
  return { status: response.status, body: await response.json() };
};

beforeEach(async () => {
  for (const { id } of await list()) await callApi("DELETE", `${path}/${id}`);
});

test("a preset is kept, changed and forgotten, also one of servers that are not there", async () => {
  const made = await add({ name: "  Research ", servers: ["filesystem", "memory", "memory"] });
  expect(made).toEqual({
    status: 201,
    body: { id: expect.any(String), name: "Research", servers: ["filesystem", "memory"], default: false },
  });
  const { id } = made.body;
  expect((await patch(id, { name: "調べもの" })).body).toEqual({ ...made.body, name: "調べもの" });
  expect((await patch(id, { servers: [] })).body.servers).toEqual([]);
  expect((await patch(id, {})).status).toBe(200);
  expect(await list()).toEqual([{ id, name: "調べもの", servers: [], default: false }]);
  expect((await callApi("DELETE", `${path}/${id}`)).status).toBe(200);
  expect(await list()).toEqual([]);
  expect((await callApi("DELETE", `${path}/${id}`)).status).toBe(404);
  expect((await patch(id, { name: "x" })).status).toBe(404);
});

test("one at most is the default of new conversations", async () => {
  const one = (await add({ name: "One", servers: ["a"], default: true })).body;
  const two = (await add({ name: "Two", servers: ["b"], default: true })).body;
  const defaults = async () => (await list()).flatMap((item) => (item.default ? item.name : []));
  expect(await defaults()).toEqual(["Two"]);
  await patch(one.id, { default: true });
  expect(await defaults()).toEqual(["One"]);
  await patch(two.id, { name: "Second" });
  expect(await defaults()).toEqual(["One"]);
  await patch(one.id, { default: false });
  expect(await defaults()).toEqual([]);
});

test("two presets cannot bear the same name, however it is written", async () => {
  const first = (await add({ name: "Research", servers: [] })).body;
  const second = (await add({ name: "Other", servers: [] })).body;
  for (const answer of [
    await add({ name: "research", servers: [] }),
    await add({ name: "Ｒｅｓｅａｒｃｈ", servers: [] }),
    await patch(second.id, { name: "RESEARCH" }),
  ])
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: { code: "exists", message: expect.stringMatching(/^name: /), details: { path: "name" } },
      },
    });
  expect((await patch(first.id, { name: "RESEARCH" })).status).toBe(200);
});

test("bad input is refused by the name of its field, and nothing is kept", async () => {
  const names = Array.from({ length: 101 }, (_, at) => `s${at}`);
  for (const [body, field] of [
    [{ servers: [] }, "name"],
    [{ name: " ", servers: [] }, "name"],
    [{ name: "x".repeat(61), servers: [] }, "name"],
    [{ name: "a\nb", servers: [] }, "name"],
    [{ name: "a\u200bb", servers: [] }, "name"],
    [{ name: "x" }, "servers"],
    [{ name: "x", servers: names }, "servers"],
    [{ name: "x", servers: [""] }, "servers.0"],
    [{ name: "x", servers: [], default: "yes" }, "default"],
    [{ name: "x", servers: [], more: 1 }, "more"],
  ] as const)
    expect(await add(body), JSON.stringify(body).slice(0, 80)).toMatchObject({
      status: 400,
      body: { error: { code: "invalid_input", message: expect.stringMatching(new RegExp(`^${field}: `)) } },
    });
  expect(await list()).toEqual([]);
});

test("fifty are kept, also when they come at once, and no more", async () => {
  const made = await Promise.all(
    Array.from({ length: 52 }, (_, at) => add({ name: `Set ${at}`, servers: ["a"] })),
  );
  expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
  expect(made.filter(({ status }) => status === 400)).toHaveLength(2);
  expect(await list()).toHaveLength(50);
});
