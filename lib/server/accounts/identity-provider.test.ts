import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { IdentityProvider } from "./identity-provider";
import type { SignInFailure } from "./sign-in-failure";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function serve(listener: (issuer: string) => RequestListener): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on("request", listener(issuer));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return issuer;
}

const begin = (issuer: string, timeoutSeconds?: number): Promise<string> =>
  new IdentityProvider({
    ...{ issuer, clientId: "meguri", clientSecret: "secret", timeoutSeconds },
    redirectUri: "http://127.0.0.1:3999/api/auth/oidc/callback",
  })
    .begin({ state: "s", nonce: "n", verifier: "v".repeat(43) }, false)
    .then(
      ({ href }) => href,
      (cause: SignInFailure) => `${cause.code}: ${(cause.reason as { reason: string }).reason}`,
    );

const told = (change: (issuer: string) => object) =>
  serve((issuer) => (_request, response) => {
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ issuer, ...endpoints, jwks_uri: `${issuer}/keys`, ...change(issuer) }));
  });

test("where the browser goes has the challenge and what ties the answer to it", async () => {
  const issuer = await told(() => ({}));
  const url = new URL(await begin(issuer));
  expect(url.href.startsWith(`${issuer}/authorize?`)).toBe(true);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    ...{ response_type: "code", client_id: "meguri", scope: "openid email profile" },
    ...{ state: "s", nonce: "n", code_challenge_method: "S256" },
    redirect_uri: "http://127.0.0.1:3999/api/auth/oidc/callback",
  });
  expect(url.searchParams.get("code_challenge")).not.toContain("vvv");
});

test("one that names another issuer, or a page that is not https, is not gone to", async () => {
  expect(await begin(await told(() => ({ issuer: "https://other.example" })))).toMatch(/^refused: /);
  for (const address of ["http://other.example/authorize", "javascript:alert(1)", "file:///etc/passwd"])
    expect(await begin(await told(() => ({ authorization_endpoint: address }))), address).toMatch(
      /^refused: /,
    );
});

test("one that does not answer in time, or not at all, is unavailable; it is asked again at the next attempt", async () => {
  expect(await begin(await serve(() => () => {}), 0.2)).toMatch(/^unavailable: /);
  const stalled = await serve(() => (_request, response) => void response.writeHead(200).write("{"));
  expect(await begin(stalled, 0.2)).toMatch(/^unavailable: /);
  expect(await begin("http://127.0.0.1:1")).toMatch(/^unavailable: /);
  let requests = 0;
  const busy = await serve(() => (_request, response) => {
    requests++;
    response.writeHead(503).end();
  });
  const provider = new IdentityProvider({
    ...{ issuer: busy, clientId: "meguri", clientSecret: "secret", redirectUri: "http://127.0.0.1:3999/x" },
  });
  const checks = { state: "s", nonce: "n", verifier: "v".repeat(43) };
  await Promise.allSettled([provider.begin(checks, false), provider.begin(checks, false)]);
  await Promise.allSettled([provider.begin(checks, false)]);
  expect(requests).toBe(2);
});
