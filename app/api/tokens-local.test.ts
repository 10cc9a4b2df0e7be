import { expect, test } from "vitest";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";
import type { Page } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { gate } from "@/lib/server/entry/gate";
import { newId } from "@/lib/server/ids";
import { hash } from "@/lib/server/secrets";
import { callApi, withApplication } from "./testing/call-api";
import { codeOf, makeToken, program } from "./testing/tokens";

const model = await startOpenAiServer(() => [say("One moment."), { type: "hang" }], {
  models: ["test-model"],
});
withApplication({}, { AUTH: "local", OPENAI_BASE_URL: model.url });

const operator = { call: callApi };
const list = async () => ((await (await callApi("GET", "/api/tokens")).json()) as Page<ApiTokenItem>).items;

test("without accounts the launch token makes tokens, which do no more than their scopes", async () => {
  const [read, admin] = [await makeToken(operator, ["read"]), await makeToken(operator, ["admin"])];
  expect((await list()).map(({ id }) => id)).toEqual(expect.arrayContaining([read.id, admin.id]));
  expect(await codeOf(read.call("GET", "/api/conversations"))).toBe("200");
  expect(await codeOf(read.call("POST", "/api/conversations", {}))).toBe("403 insufficient_scope");
  expect(await codeOf(read.call("GET", "/api/mcp/file"))).toBe("403 insufficient_scope");
  expect(await codeOf(admin.call("GET", "/api/mcp/file"))).toBe("200");
  expect(await codeOf(callApi("GET", "/api/mcp/file"))).toBe("200");
  const token = { name: "More", scopes: ["read"], expiresAt: null };
  expect(await codeOf(admin.call("POST", "/api/tokens", token))).toBe("403 not_by_token");
  const settings = async (call: typeof callApi) => (await call("GET", "/api/settings")).text();
  expect(await settings(callApi)).toContain(model.url);
  expect(await settings(read.call)).not.toContain(model.url);
});

test("a token that is deleted ends what it opened within a second, without accounts too", async () => {
  const { id, call } = await makeToken(operator, ["chat"]);
  const question = { message: { text: "Do it." }, model: "openai/test-model" };
  const begun = await call("POST", "/api/chat", question);
  const runId = begun.headers.get("x-run-id") ?? "";
  const from = Date.now();
  expect((await callApi("DELETE", `/api/tokens/${id}`)).status).toBe(200);
  await begun.text();
  expect(Date.now() - from).toBeLessThan(1_000);
  expect(await codeOf(call("GET", "/api/conversations"))).toBe("401 unauthorized");
  expect((await getDeps()).runs.get(runId)).toBeDefined();
  await callApi("POST", `/api/runs/${runId}/stop`, {});
});

test("a token opens no page", async () => {
  const { value } = await makeToken(operator, ["admin"]);
  const page = (authorization: string) =>
    gate(new URL("http://127.0.0.1:3999/"), new Headers({ host: "127.0.0.1:3999", authorization }));
  expect((await page(`Bearer ${value}`))?.status).toBe(401);
  expect(await page(`Bearer ${process.env.LAUNCH_TOKEN}`)).toBeUndefined();
});

test("the token of an account signs nobody in without accounts", async () => {
  const value = `mgr_${"a".repeat(43)}`;
  const { store } = await getDeps();
  await store.tokens.add(
    {
      ...{ id: newId(), userId: newId(), tokenHash: hash(value), name: "Theirs", start: "mgr_aaa" },
      ...{ scopes: ["admin"], options: {}, createdAt: 1, expiresAt: null, lastUsedAt: null },
    },
    50,
  );
  expect(await codeOf(program(value)("GET", "/api/conversations"))).toBe("401 unauthorized");
});
