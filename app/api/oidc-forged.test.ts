import { afterAll, beforeEach, expect, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { TestBrowser } from "./testing/browse-provider";
import { withApplication } from "./testing/call-api";
import { send, startForgedProvider } from "./testing/forged-provider";
import { invite, signUp, toPerson } from "./testing/people";

const secret = "the secret of the client: a/b+c";
const provider = await startForgedProvider("meguri");

withApplication(
  {},
  {
    ...{ AUTH: "accounts", LOG_LEVEL: "debug", OIDC_DOMAINS: "acme.dev, acme.co.jp" },
    ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "meguri", OIDC_CLIENT_SECRET: secret },
  },
);
afterAll(() => provider.close());

let founder: ReturnType<typeof toPerson> | undefined;

beforeEach(async () => {
  founder ??= signUp("Aiko").then(toPerson);
  await founder;
  const sound = { claims: {}, byStranger: false, header: { alg: "RS256", kid: "1" } };
  Object.assign(provider, { ...sound, meddle: () => false, asked: [] });
});

interface Answer {
  state?: string;
  iss?: string;
  more?: string;
}

/** Where a browser ends whom the provider leads back with this answer. */
async function answer({ state, iss = provider.issuer, more = "" }: Answer = {}, query = "") {
  const browser = new TestBrowser();
  const begun = await browser.get(`/api/auth/oidc${query}`);
  const location = begun.headers.get("location") ?? "";
  if (location.startsWith("/")) return location;
  const { searchParams } = new URL(location);
  provider.nonce = searchParams.get("nonce") ?? "";
  const back = new URLSearchParams({ state: state ?? searchParams.get("state") ?? "", code: "c", iss });
  const ended = await browser.get(`/api/auth/oidc/callback?${back}${more}`);
  const isIn = (await browser.call("GET", "/api/sessions")).status === 200;
  expect([ended.status, isIn]).toEqual([303, ended.headers.get("location") === "/"]);
  return ended.headers.get("location");
}

test("a sound answer lets in, and the secret of the client goes to the provider alone", async () => {
  expect(await answer()).toBe("/");
  expect(provider.asked).toHaveLength(1);
  expect(provider.asked[0]).toMatch(/^Basic \S+ .*code_verifier=/);
});

const now = Math.floor(Date.now() / 1000);

test.each([
  ["of another client", { aud: "another" }],
  ["of several clients, made for another one", { aud: ["meguri", "another"], azp: "another" }],
  ["of another issuer", { iss: "https://other.example" }],
  ["that has expired", { exp: now - 120, iat: now - 300 }],
  ["without an end", { exp: undefined }],
  ["without a nonce", { nonce: undefined }],
  ["with another nonce", { nonce: "another" }],
  ["without a subject", { sub: undefined }],
])("an ID token %s lets nobody in", async (_what, claims) => {
  provider.claims = claims;
  expect(await answer()).toBe("/sign-in?failed=refused");
});

test("an ID token that is signed by another key lets nobody in", async () => {
  provider.byStranger = true;
  expect(await answer()).toBe("/sign-in?failed=refused");
});

test("an ID token without a signature lets nobody in", async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  provider.meddle = (path, response) => {
    if (path !== "/token") return false;
    const times = { iat: now, exp: now + 600, nonce: provider.nonce };
    const claims = { iss: provider.issuer, aud: "meguri", sub: "sub", ...times };
    const idToken = `${part({ alg: "none" })}.${part(claims)}.`;
    return send(response, { access_token: "at-secret", token_type: "Bearer", id_token: idToken });
  };
  expect(await answer()).toBe("/sign-in?failed=refused");
});

test.each([
  ["another state", { state: "another" }, "state"],
  ["another issuer", { iss: "https://other.example" }, "refused"],
  ["two codes", { more: "&code=another" }, "refused"],
  ["a failure of the provider", { more: "&error=server_error" }, "unavailable"],
  ["an error that is none of ours", { more: "&error=invalid_scope" }, "refused"],
])("an answer with %s lets nobody in", async (_what, how, failed) => {
  expect(await answer(how)).toBe(`/sign-in?failed=${failed}`);
});

test.each([
  ["answers 500", (response: Parameters<typeof send>[0]) => send(response, {}, 500)],
  ["hangs up", (response: Parameters<typeof send>[0]) => Boolean(response.destroy())],
])("a provider that %s is named, and the next attempt works", async (_what, fail) => {
  provider.meddle = (path, response) => path === "/token" && fail(response);
  expect(await answer()).toBe("/sign-in?failed=unavailable");
  provider.meddle = () => false;
  expect(await answer()).toBe("/");
});

test("an answer larger than a megabyte is not read to its end", async () => {
  provider.meddle = (path, response) => {
    if (path !== "/token") return false;
    response.writeHead(200, { "content-type": "application/json" });
    const more = () => {
      while (response.write("x".repeat(65_536)));
    };
    response.on("drain", more);
    more();
    return true;
  };
  expect(await answer()).toBe("/sign-in?failed=refused");
});

test("a provider that leads on to another address is not followed", async () => {
  let followed = false;
  provider.meddle = (path, response) => {
    if (path === "/elsewhere") followed = true;
    if (path !== "/token") return false;
    response.writeHead(307, { location: `${provider.issuer}/elsewhere` }).end();
    return true;
  };
  expect([await answer(), followed]).toEqual(["/sign-in?failed=refused", false]);
});

test("only addresses of the named domains join; who is invited and who has an account comes in with any", async () => {
  const admin = await founder;
  if (!admin) throw new Error("There is no admin.");
  const person = (sub: string, email: string) => ({ sub, email, name: sub });
  provider.claims = person("ben", "ben@acme.co.jp");
  expect(await answer()).toBe("/");
  for (const email of ["eve@evil.example", "eve@notacme.dev", "eve@acme.dev.evil.example"]) {
    provider.claims = person("eve", email);
    expect(await answer(), email).toBe("/sign-in?failed=domain");
  }
  provider.claims = person("dora", "dora@guest.example");
  expect(await answer({}, `?invitation=${await invite(admin, "member")}`)).toBe("/");
  provider.claims = person("aiko", admin.email);
  expect(await answer()).toBe("/");
});

test("names that cannot be shown in a line give way", async () => {
  provider.claims = { sub: "x", email: "xenia@acme.dev", name: "A\nB", preferred_username: "x".repeat(200) };
  expect(await answer()).toBe("/");
  const { accounts } = (await getDeps()).store;
  expect((await accounts.byEmail("xenia@acme.dev"))?.name).toBe("xenia@acme.dev");
});
