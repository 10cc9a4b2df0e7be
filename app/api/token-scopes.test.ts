import { beforeAll, expect, test } from "vitest";
import type { TokenScope } from "@/lib/protocol/api-tokens";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { callApi, withApplication } from "./testing/call-api";
import { join, origin, password, signUp, type TestPerson, toPerson } from "./testing/people";
import { codeOf, makeToken, type Program } from "./testing/tokens";

const model = await startOpenAiServer([[say("An answer.")]], { models: ["test-model"] });
withApplication({}, { AUTH: "accounts", OPENAI_BASE_URL: model.url });

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

const modules = import.meta.glob<Record<string, { [key: symbol]: unknown }>>("./**/route.ts", {
  eager: true,
});
const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every handler that asks who somebody is. */
const handlers = Object.entries(modules).flatMap(([file, module]) => {
  const path = file.replace(/^\.\/|\/route\.ts$/g, "");
  return methods.flatMap((method) => {
    const access = module[method]?.[Symbol.for("meguri.guarded")];
    const asks = access === "session" || access === "admin";
    return asks ? [{ name: `${method} ${path}`, method, path, access }] : [];
  });
});

/** What else a token may that can chat: conversations, runs, and what a message is written with. */
const chat = new Set(
  [
    ...["attachments", "chat", "conversations", "conversations/batch", "conversations/import"],
    ...["conversations/[id]/messages", "conversations/[id]/shares", "conversations/[id]/shares/file"],
    ...["matrix", "matrix/[id]/stop", "runs/import", "share/[token]/fork"],
    ...["answer", "cancel", "fork", "messages", "rerun", "resume", "stop"].map((name) => `runs/[id]/${name}`),
    ...["complete", "prompts/get", "resources/read", "skills/read"].map((name) => `mcp/${name}`),
  ].map((path) => `POST ${path}`),
);
for (const name of [
  ...["PATCH conversations/[id]", "DELETE conversations/[id]", "PATCH conversations/[id]/ledger"],
  ...[
    "PATCH matrix/[id]",
    "PATCH runs/[id]",
    "DELETE runs/[id]/plan",
    "PATCH shares/[id]",
    "DELETE shares/[id]",
    "POST schedules/[id]/run",
  ],
  ...["PATCH runs/[id]/messages/[messageId]", "DELETE runs/[id]/messages/[messageId]"],
])
  chat.add(name);

/** For nobody's token. */
const none = new Set([
  ...[
    "GET tokens",
    "GET tokens/calls",
    "POST tokens",
    "DELETE tokens/[id]",
    "GET sessions",
    "DELETE sessions",
  ],
  ...["GET passkeys", "POST passkeys", "POST passkeys/options", "DELETE passkeys/[id]"],
  ...["DELETE sessions/[id]", "DELETE session", "POST auth/change-password", "POST users/[id]/reset"],
  // Else a token that has leaked would make an admin.
  ...["POST invitations", "PATCH users/[id]"],
  // A program that is let in has a token.
  "POST oauth/authorize",
  // Its address opens as much as a token.
  ...["POST triggers", "PATCH triggers/[id]", "DELETE triggers/[id]"],
]);

const mayBy = (scope: TokenScope, { name, method, access }: (typeof handlers)[number]): boolean => {
  if (none.has(name)) return false;
  if (scope === "admin") return true;
  return (method === "GET" && access === "session") || (scope === "chat" && chat.has(name));
};

test.each(["read", "chat", "admin"] as const)(
  "of every route a token with %s reaches those of its scope, and no other",
  async (scope) => {
    const { call } = await makeToken(admin, [scope]);
    expect(handlers.length).toBeGreaterThan(90);
    const names = new Set(handlers.map(({ name }) => name));
    expect([...chat, ...none].filter((name) => !names.has(name))).toEqual([]);
    const found: string[] = [];
    for (const { method, path, name } of handlers) {
      // A body that no schema takes: nothing is done.
      const answer = await call(
        method,
        `/api/${path.replace("[...path]", "no/such").replaceAll(/\[\w+\]/g, "none")}`,
        method === "GET" || method === "DELETE" ? undefined : "{",
      );
      const { error } = answer.ok ? { error: undefined } : await answer.json().catch(() => ({}));
      if (answer.ok) await answer.body?.cancel();
      expect(answer.status, name).not.toBe(401);
      const isRefused = ["insufficient_scope", "not_by_token"].includes(error?.code);
      if (!isRefused) found.push(name);
      else
        expect([answer.status, error.code], name).toEqual([
          403,
          none.has(name) ? "not_by_token" : "insufficient_scope",
        ]);
    }
    const expected = handlers.filter((one) => mayBy(scope, one)).map(({ name }) => name);
    expect(found.toSorted()).toEqual(expected.toSorted());
  },
);

test("without the scope admin an admin's token sees and may what a member does", async () => {
  const [read, all] = [await makeToken(admin, ["read"]), await makeToken(admin, ["admin"])];
  const shown = async (call: Program) =>
    JSON.stringify((await (await call("GET", "/api/settings")).json()).providers);
  expect(await shown(all.call)).toContain(model.url);
  expect(await shown(read.call)).not.toContain(model.url);
  expect(await codeOf(all.call("GET", "/api/data/usage"))).toBe("200");
  expect(await codeOf(read.call("GET", "/api/data/usage"))).toBe("403 forbidden");
});

test("who is no admin any more has no token with that scope, and has it again as an admin", async () => {
  const dan = await join(admin, "Dan", "admin");
  const [alone, both] = [await makeToken(dan, ["admin"]), await makeToken(dan, ["chat", "admin"])];
  expect(await codeOf(alone.call("GET", "/api/users"))).toBe("200");
  await admin.call("PATCH", `/api/users/${dan.id}`, { role: "member" });
  for (const { call } of [alone, both])
    expect(await codeOf(call("GET", "/api/users"))).toBe("403 insufficient_scope");
  expect(await codeOf(alone.call("GET", "/api/conversations"))).toBe("403 insufficient_scope");
  expect(await codeOf(both.call("GET", "/api/conversations"))).toBe("200");
  expect(await codeOf(both.call("PATCH", "/api/settings", { endpoints: [] }))).toBe("403 insufficient_scope");
  await admin.call("PATCH", `/api/users/${dan.id}`, { role: "admin" });
  expect(await codeOf(alone.call("GET", "/api/users"))).toBe("200");
});

test("a token is no browser: no Origin is asked of it, no other site's page may send it, and no cookie stands in for it", async () => {
  const { call } = await makeToken(admin, ["chat"]);
  expect(await codeOf(call("POST", "/api/conversations", {}))).toBe("201");
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
    expect(await codeOf(call("POST", "/api/conversations", {}, headers))).toBe("403 forbidden_origin");
  const wrong = `Bearer mgr_${"x".repeat(43)}`;
  for (const authorization of [wrong, "Bearer mgr_x"]) {
    const answer = await admin.call("GET", "/api/conversations", undefined, { authorization });
    const text = "This API token is unknown, has expired or was deleted; make a new one in the settings.";
    expect([answer.status, (await answer.json()).error.message]).toEqual([401, text]);
  }
  const { cookie } = admin.headers;
  expect(
    await codeOf(callApi("POST", "/api/conversations", {}, { authorization: "Bearer other", cookie })),
  ).toBe("403 forbidden_origin");
});

test("a token changes no password, even as an admin's", async () => {
  const { call } = await makeToken(admin, ["admin"]);
  const change = { current: password, password: "another long password" };
  expect(await codeOf(call("POST", "/api/auth/change-password", change, origin))).toBe("403 not_by_token");
  expect(await codeOf(call("POST", `/api/users/${admin.id}/reset`, {}))).toBe("403 not_by_token");
  expect(await codeOf(call("DELETE", "/api/sessions"))).toBe("403 not_by_token");
  expect(await codeOf(admin.call("GET", "/api/sessions"))).toBe("200");
});
