import { expect, test } from "vitest";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

test("a path that is no route is 404, and a wrong method 405", async () => {
  expect((await callApi("GET", "/api/nothing/at/all")).status).toBe(404);
  expect((await callApi("PUT", "/api/conversations")).status).toBe(405);
});

test("without accounts there are no routes for them", async () => {
  const signIn = { email: "a@example.com", password: "a long password" };
  const asked: [string, string, unknown?][] = [
    ["POST", "/api/auth/sign-in/email", signIn],
    ["POST", "/api/auth/sign-up/email", { ...signIn, name: "A" }],
    ["GET", "/api/auth/oidc"],
    ["GET", "/api/auth/oidc/callback"],
    ["GET", "/api/users"],
    ["POST", "/api/invitations", { role: "member" }],
    ["DELETE", "/api/sessions"],
  ];
  for (const [method, path, body] of asked) {
    const response = await callApi(method, path, body);
    expect([response.status, (await response.json()).error.message], path).toEqual([
      404,
      "There is no such API route.",
    ]);
  }
});
