import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import type { ApiTokenItem } from "@/lib/protocol/api-tokens";
import { ownPath } from "@/lib/server/accounts/sign-in-page";
import { getDeps } from "@/lib/server/entry/deps";
import { gate } from "@/lib/server/entry/gate";
import { callApi, withApplication } from "./testing/call-api";
import { join, signUp, stranger, type TestPerson, toPerson } from "./testing/people";
import { codeOf } from "./testing/tokens";

withApplication({}, { AUTH: "accounts", PUBLIC_URL: "https://meguri.example" });

const verifier = "v".repeat(43);
const redirectUri = "https://app.example/cb";
const host = { host: "meguri.example" };
const ours = { ...host, origin: "https://meguri.example" };
let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

async function requestOf(): Promise<{ clientId: string; request: string }> {
  const body = { redirect_uris: [redirectUri], client_name: "An editor" };
  const answer = await callApi("POST", "/api/oauth/register", body, { ...stranger, ...host });
  const clientId: string = (await answer.json()).client_id;
  const request = new URLSearchParams({
    ...{ response_type: "code", client_id: clientId, redirect_uri: redirectUri, state: "s" },
    ...{ code_challenge: createHash("sha256").update(verifier).digest("base64url") },
    ...{ code_challenge_method: "S256", resource: "https://meguri.example/mcp" },
  });
  return { clientId, request: request.toString() };
}

const exchange = (fields: Record<string, string>) =>
  callApi("POST", "/api/oauth/token", new URLSearchParams(fields).toString(), {
    ...{ ...stranger, ...host, "content-type": "application/x-www-form-urlencoded" },
  });

/** A program that this person has let in. */
async function letIn(person: TestPerson) {
  const { clientId, request } = await requestOf();
  const said = await person.call("POST", "/api/oauth/authorize", { request, allow: true }, ours);
  const { location } = await said.json();
  const code = new URL(location).searchParams.get("code") ?? "";
  const given = await exchange({
    ...{ grant_type: "authorization_code", client_id: clientId, code, code_verifier: verifier },
  });
  return { clientId, location, ...(await given.json()) };
}

const opens = async (token: string) => {
  const answer = await callApi("DELETE", "/mcp", undefined, { authorization: `Bearer ${token}`, ...host });
  // There is no session of MCP yet; without a token that counts it does not come to that.
  return answer.status !== 401;
};

test("what a member grants is theirs, is in the audit log, and ends with their account", async () => {
  const member = await join(admin, "Ben");
  const { access_token: token, refresh_token: refresh, clientId, location } = await letIn(member);
  expect(new URL(location).searchParams.get("iss")).toBe("https://meguri.example");
  expect(await opens(token)).toBe(true);
  const listed = async (person: TestPerson): Promise<ApiTokenItem[]> =>
    (await (await person.call("GET", "/api/tokens")).json()).items;
  expect(await listed(member)).toMatchObject([{ name: "An editor", scopes: ["mcp"] }]);
  expect(await listed(admin)).toEqual([]);
  const audit = await (await admin.call("GET", "/api/audit")).text();
  expect(audit).toContain("An editor, mcp");
  expect((await admin.call("PATCH", `/api/users/${member.id}`, { disabled: true })).status).toBe(200);
  expect(await opens(token)).toBe(false);
  expect((await admin.call("DELETE", `/api/users/${member.id}`)).status).toBe(200);
  const again = { grant_type: "refresh_token", client_id: clientId, refresh_token: refresh };
  expect(await (await exchange(again)).json()).toMatchObject({ error: "invalid_grant" });
});

test("nobody is asked who is not signed in, and nobody says yes through another site's page", async () => {
  const { request } = await requestOf();
  const page = await gate(new URL(`https://meguri.example/authorize?${request}`), new Headers(host));
  expect(page?.status).toBe(303);
  const to = new URL(page?.headers.Location ?? "");
  expect([to.origin, to.pathname]).toEqual(["https://meguri.example", "/sign-in"]);
  expect(ownPath(to.searchParams.get("next") ?? undefined)).toBe(`/authorize?${request}`);
  const yes = { request, allow: true };
  const asStranger = callApi("POST", "/api/oauth/authorize", yes, { ...stranger, ...ours });
  expect(await codeOf(asStranger)).toBe("401 unauthorized");
  const foreign = { ...host, origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  expect(await codeOf(admin.call("POST", "/api/oauth/authorize", yes, foreign))).toBe("403 forbidden_origin");
  const { store } = await getDeps();
  expect(await store.tokens.list(admin.id)).toEqual([]);
});
