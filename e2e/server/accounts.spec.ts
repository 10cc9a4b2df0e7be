import type { NewInvitation, PersonItem } from "@/lib/protocol/accounts";
import type { NewApiToken } from "@/lib/protocol/api-tokens";
import type { Page } from "@/lib/protocol/http";
import { say, until } from "@/lib/providers/testing/steps";
import type { App } from "../support/app";
import { followStream, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const password = "a long enough password";

/** A browser of this person, from the answer that signed it in. */
function browserOf(app: App, signedIn: Response) {
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  return (method: string, path: string, body?: unknown) =>
    fetch(app.baseUrl + path, {
      method,
      headers: { cookie, origin: app.baseUrl, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
}

async function signUp(app: App, name: string, more: { token?: string; invitation?: string }) {
  const { token, invitation } = more;
  const answer = await fetch(`${app.baseUrl}/api/auth/sign-up/email`, {
    method: "POST",
    headers: {
      ...{ origin: app.baseUrl, "content-type": "application/json" },
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ name, email: `${name}@example.com`, password, ...(invitation && { invitation }) }),
  });
  expect(answer.status).toBe(201);
  return browserOf(app, answer);
}

test("over the socket too a person's answers end when an admin switches them off, and a restart keeps who is signed in", async ({
  startWithModel,
}) => {
  const held = Promise.withResolvers<void>();
  const { app } = await startWithModel(() => [say("One moment."), until(held.promise)], {
    env: { AUTH: "accounts" },
  });
  const admin = await signUp(app, "aiko", { token: app.token });
  const made = (await (await admin("POST", "/api/invitations", { role: "member" })).json()) as NewInvitation;
  const invitation = new URL(made.url).searchParams.get("invitation") ?? "";
  const member = await signUp(app, "ken", { invitation });
  const answer = await followStream(await member("POST", "/api/chat", { message: { text: "Wait." } }));
  await answer.until((events) => textOf(events) !== "");
  const people = (await (await admin("GET", "/api/users")).json()) as Page<PersonItem>;
  const ken = people.items.find(({ name }) => name === "ken");
  expect((await admin("PATCH", `/api/users/${ken?.id}`, { disabled: true })).status).toBe(200);
  await answer.closed;
  expect((await member("GET", "/api/conversations")).status).toBe(401);
  await app.restart();
  expect((await admin("GET", "/api/users")).status).toBe(200);
  expect((await member("GET", "/api/conversations")).status).toBe(401);
  expect((await admin("PATCH", `/api/users/${ken?.id}`, { disabled: false })).status).toBe(200);
  expect((await member("GET", "/api/conversations")).status).toBe(401);
  held.resolve();
});

test("over the socket too what an API token opened ends when it is deleted, and a restart keeps the others", async ({
  startWithModel,
}) => {
  const held = Promise.withResolvers<void>();
  const { app } = await startWithModel(() => [say("One moment."), until(held.promise)]);
  const by = (value: string) => (method: string, path: string, body?: unknown) =>
    fetch(app.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${value}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const operator = by(app.token);
  const make = async () =>
    (await (
      await operator("POST", "/api/tokens", { name: "A script", scopes: ["chat"], expiresAt: null })
    ).json()) as NewApiToken;
  const [gone, stays] = [await make(), await make()];
  const answer = await followStream(
    await by(gone.value)("POST", "/api/chat", { message: { text: "Wait." } }),
  );
  await answer.until((events) => textOf(events) !== "");
  expect((await by(gone.value)("DELETE", `/api/tokens/${stays.id}`)).status).toBe(403);
  expect((await operator("DELETE", `/api/tokens/${gone.id}`)).status).toBe(200);
  await answer.closed;
  expect((await by(gone.value)("GET", "/api/conversations")).status).toBe(401);
  await app.restart();
  expect((await by(gone.value)("GET", "/api/conversations")).status).toBe(401);
  expect((await by(stays.value)("GET", "/api/conversations")).status).toBe(200);
  held.resolve();
});
