import { beforeEach, expect, test } from "vitest";
import type { Page } from "@/lib/protocol/http";
import type { Prompt } from "@/lib/protocol/prompts";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const path = "/api/prompts";
const call = async (method: string, where: string, body?: unknown) => {
  const response = await callApi(method, where, body);
  return { status: response.status, body: await response.json() };
};
const list = async (query = "") => (await call("GET", path + query)).body as Page<Prompt>;
const names = ({ items }: Page<Prompt>) => items.map(({ name }) => name);
const add = async (body: object): Promise<Prompt> => {
  const { status, body: made } = await call("POST", path, { name: "Report", text: "Write it.", ...body });
  expect(status).toBe(201);
  return made;
};

beforeEach(async () => {
  for (const { id } of (await list("?limit=200")).items) await callApi("DELETE", `${path}/${id}`);
});

test("a prompt is kept, listed, changed and deleted; its variables follow from its text", async () => {
  const made = await add({ name: " Weekly report ", text: "For {{ team }} and {{件名}}: {code} {{team}}" });
  expect(made).toEqual({
    id: expect.any(String),
    name: "Weekly report",
    text: "For {{ team }} and {{件名}}: {code} {{team}}",
    variables: ["team", "件名"],
  });
  expect((await list()).items).toEqual([made]);
  const where = `${path}/${made.id}`;
  const changed = { ...made, text: "For {{someone}}.", variables: ["someone"] };
  expect(await call("PATCH", where, { text: "For {{someone}}." })).toEqual({ status: 200, body: changed });
  expect(await call("PATCH", where, { name: "Report" })).toEqual({
    status: 200,
    body: { ...changed, name: "Report" },
  });
  expect((await call("DELETE", where)).status).toBe(200);
  for (const method of ["PATCH", "DELETE"])
    expect(await call(method, where, method === "PATCH" ? {} : undefined)).toMatchObject({
      status: 404,
      body: { error: { code: "not_found", message: "There is no such prompt." } },
    });
});

test("the list comes in pages, newest first, and is searched by name", async () => {
  for (const name of ["Weekly A", "日報", "WEEKLY B", "Other", "weekly C"]) await add({ name });
  const first = await list("?limit=2");
  expect(names(first)).toEqual(["weekly C", "Other"]);
  expect(names(await list(`?limit=200&cursor=${first.nextCursor}`))).toEqual([
    "WEEKLY B",
    "日報",
    "Weekly A",
  ]);
  const found = await list("?limit=2&name=weekly");
  expect(names(found)).toEqual(["weekly C", "WEEKLY B"]);
  const rest = await list(`?limit=2&name=weekly&cursor=${found.nextCursor}`);
  expect([names(rest), rest.nextCursor]).toEqual([["Weekly A"], null]);
  expect(names(await list(`?name=${encodeURIComponent("日")}`))).toEqual(["日報"]);
  expect(names(await list("?name=none"))).toEqual([]);
  expect((await call("GET", `${path}?cursor=x`)).status).toBe(400);
  expect((await call("GET", `${path}?name=${"x".repeat(201)}`)).status).toBe(400);
});

test("bad input is refused by the name of its field, and nothing is kept", async () => {
  const many = Array.from({ length: 21 }, (_, at) => `{{v${at}}}`).join(" ");
  for (const [body, message] of [
    [{ name: " " }, "name: must not be empty."],
    [{ name: "a\u202eb" }, "name: must not hold characters that cannot be seen."],
    [{ name: "x".repeat(61) }, /^name: /],
    [{ name: "a\nb" }, "name: must not hold control characters."],
    [{ text: " \n" }, "text: must not be empty."],
    [{ text: "訳".repeat(34_134) }, "text: must have at most 100 KB; shorten it."],
    [{ text: "a\u{e0041}b" }, "text: must not hold characters that cannot be seen."],
    [{ text: many }, "text: must have at most 20 variables."],
    [{ text: "{{ ".repeat(300_000) }, /^text: must have at most 100 KB/],
    [{ variables: ["a"] }, /variables/],
  ] as const)
    expect(await call("POST", path, { name: "Report", text: "x", ...body })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(message) } },
    });
  expect((await list()).items).toEqual([]);
  const made = await add({});
  expect((await call("PATCH", `${path}/${made.id}`, { text: "" })).status).toBe(400);
  expect((await list()).items).toEqual([made]);
});

test("all of them together have at most 2 MB, and are at most 200", async () => {
  const text = "x".repeat(99_000);
  for (let at = 0; at < 20; at++) await add({ text });
  expect(await call("POST", path, { name: "x", text })).toMatchObject({
    status: 400,
    body: { error: { code: "too_many" } },
  });
  const small = await add({});
  expect((await call("PATCH", `${path}/${small.id}`, { text })).status).toBe(400);
  expect((await list()).items[0]).toEqual(small);
  for (let at = 21; at < 200; at++) await add({});
  expect((await call("POST", path, { name: "x", text: "x" })).body.error.code).toBe("too_many");
});
