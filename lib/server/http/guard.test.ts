import { expect, test } from "vitest";
import { foreignHosts } from "@/docs/corpus/origin";
import {
  checkHost,
  checkOrigin,
  cookieName,
  cookiesOf,
  type GuardContext,
  hasLaunchToken,
  personOf,
} from "./guard";

const context: GuardContext = {
  env: { PORT: 3000, PUBLIC_URL: "https://meguri.example" },
  secrets: { launchToken: "token-of-sixteen-letters" },
  sessions: { has: async (value) => value === "a-session" },
};
const code = (run: () => void): string => {
  try {
    run();
    return "passed";
  } catch (cause) {
    return (cause as { code: string }).code;
  }
};

test.each([
  ["127.0.0.1:3000", "passed"],
  ["localhost:3000", "passed"],
  ["LOCALHOST:3000", "passed"],
  ["[::1]:3000", "passed"],
  ["meguri.example", "passed"],
  ["127.0.0.1:3001", "forbidden_host"],
  ...foreignHosts(3000).map((host) => [host, "forbidden_host"]),
])("host %s is %s", (host, expected) => {
  expect(code(() => checkHost(new Headers({ host }), context))).toBe(expected);
});

test("a request without a host is refused", () => {
  expect(code(() => checkHost(new Headers(), context))).toBe("forbidden_host");
});

const post = (headers: Record<string, string>, method = "POST") =>
  new Request("http://127.0.0.1:3000/api/chat", { method, headers });

test.each([
  [{ origin: "http://127.0.0.1:3000" }, "passed"],
  [{ origin: "https://meguri.example" }, "passed"],
  [{ origin: "http://meguri.example" }, "forbidden_origin"],
  [{ origin: "http://127.0.0.1:4000" }, "forbidden_origin"],
  [{ origin: "https://evil.example" }, "forbidden_origin"],
  [{ origin: "null" }, "forbidden_origin"],
  [{ origin: "http://127.0.0.1:3000", "sec-fetch-site": "cross-site" }, "forbidden_origin"],
  [{}, "forbidden_origin"],
  [{ authorization: "Bearer anything" }, "passed"],
  [{ authorization: "Bearer anything", origin: "https://evil.example" }, "forbidden_origin"],
  [{ authorization: "Bearer anything", "sec-fetch-site": "cross-site" }, "forbidden_origin"],
  [{ origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-origin" }, "passed"],
  [{ origin: "http://127.0.0.1:3000", "sec-fetch-site": "same-site" }, "forbidden_origin"],
])("a change with %j is %s", (headers, expected) => {
  expect(code(() => checkOrigin(post(headers as Record<string, string>), context))).toBe(expected);
});

const lead = { "sec-fetch-mode": "navigate" };

test.each([
  [{}, false, "passed"],
  [{ "sec-fetch-site": "same-origin" }, false, "passed"],
  [{ "sec-fetch-site": "none" }, false, "passed"],
  [{ "sec-fetch-site": "same-site" }, false, "forbidden_origin"],
  [{ "sec-fetch-site": "cross-site" }, false, "forbidden_origin"],
  [{ "sec-fetch-site": "cross-site", authorization: "Bearer anything" }, false, "passed"],
  [{ "sec-fetch-site": "cross-site", ...lead }, false, "forbidden_origin"],
  [{ "sec-fetch-site": "cross-site", ...lead }, true, "passed"],
  [{ "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }, true, "forbidden_origin"],
])("reading with %j, where others may lead here: %s, is %s", (headers, navigation, expected) => {
  const request = post(headers as Record<string, string>, "GET");
  expect(code(() => checkOrigin(request, context, { navigation }))).toBe(expected);
});

test("others may lead here to read, and not to change", () => {
  const request = post({ "sec-fetch-site": "cross-site", ...lead, origin: "http://127.0.0.1:3000" });
  expect(code(() => checkOrigin(request, context, { navigation: true }))).toBe("forbidden_origin");
});

test("a session's cookie or the launch token lets in, and nothing else", async () => {
  const cookie = `${cookieName(context.env)}=a-session`;
  const isIn = (headers: Record<string, string>) => hasLaunchToken(new Headers(headers), context);
  expect(await isIn({ cookie: `other=1; ${cookie}` })).toBe(true);
  expect(await isIn({ authorization: `Bearer ${context.secrets.launchToken}` })).toBe(true);
  expect(await isIn({ authorization: "Bearer wrong", cookie })).toBe(false);
  expect(await isIn({ cookie: `${cookieName({ PORT: 3001, PUBLIC_URL: undefined })}=a-session` })).toBe(
    false,
  );
  expect(await isIn({ cookie: `${cookieName(context.env)}=` })).toBe(false);
  expect(await isIn({})).toBe(false);
  const found = await personOf(new Headers({ cookie }), context);
  expect([found?.id, found?.role]).toEqual(["local", "admin"]);
});

test("instances behind one address share the name of their cookies, and two on one host do not", () => {
  const nameOf = (PORT: number, PUBLIC_URL?: string) => cookieName({ PORT, PUBLIC_URL });
  expect([nameOf(3000), nameOf(3001)]).toEqual(["meguri_3000", "meguri_3001"]);
  expect([nameOf(3000, "https://meguri.example"), nameOf(3001, "https://meguri.example/")]).toEqual([
    "meguri_meguri_example",
    "meguri_meguri_example",
  ]);
  expect(nameOf(3000, "https://meguri.example:8443")).toBe("meguri_meguri_example_8443");
  expect(nameOf(3000, "http://[::1]:3000")).toMatch(/^meguri_\w+$/);
});

test("a cookie that is named by the port counts with PUBLIC_URL too, but for one that is there already", async () => {
  const isIn = (cookie: string) => hasLaunchToken(new Headers({ cookie }), context);
  expect(await isIn("meguri_3000=a-session")).toBe(true);
  expect(await isIn("other=1; meguri_3000=a-session; meguri_meguri_example=another")).toBe(false);
  expect(await isIn("meguri_30001=a-session")).toBe(false);
  const sent = (cookie: string, env: Parameters<typeof cookiesOf>[1] = context.env) =>
    cookiesOf(new Headers({ cookie }), env);
  const [account, other] = [
    "__Secure-meguri_3000_account.session_token=t.s",
    "meguri_3000_oidc=x; a=meguri_3000=",
  ];
  expect(sent(`${account}; ${other}`)).toBe(
    `__Secure-meguri_meguri_example_account.session_token=t.s; ${other}`,
  );
  expect(sent(account, { PORT: 3000, PUBLIC_URL: undefined })).toBe(account);
});

test("with accounts the launch token is nobody's session, and spares nobody the origin", async () => {
  const accounts = { personOf: async () => undefined };
  const token = { authorization: `Bearer ${context.secrets.launchToken}` };
  expect(await personOf(new Headers(token), { ...context, accounts })).toBeUndefined();
  expect(code(() => checkOrigin(post(token), { ...context, accounts }))).toBe("forbidden_origin");
});
