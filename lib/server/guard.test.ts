import { expect, test } from "vitest";
import { checkHost, checkOrigin, cookieName, type GuardContext, isSignedIn, sessionValue } from "./guard";

const context: GuardContext = {
  env: { PORT: 3000, PUBLIC_URL: "https://meguri.example" },
  secrets: { appSecret: "s".repeat(32), launchToken: "token-of-sixteen-letters" },
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
  ["localhost.evil.example:3000", "forbidden_host"],
  ["evil.example", "forbidden_host"],
  ["127.0.0.1:3001", "forbidden_host"],
  ["127.0.0.1", "forbidden_host"],
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
])("a change with %j is %s", (headers, expected) => {
  expect(code(() => checkOrigin(post(headers as Record<string, string>), context))).toBe(expected);
});

test("reading needs no origin", () => {
  expect(code(() => checkOrigin(post({ "sec-fetch-site": "cross-site" }, "GET"), context))).toBe("passed");
});

test("the cookie or the launch token lets in, and nothing else", () => {
  const cookie = `${cookieName(context.env)}=${sessionValue(context.secrets)}`;
  expect(isSignedIn(new Headers({ cookie: `other=1; ${cookie}` }), context)).toBe(true);
  expect(isSignedIn(new Headers({ authorization: `Bearer ${context.secrets.launchToken}` }), context)).toBe(
    true,
  );
  expect(isSignedIn(new Headers({ authorization: "Bearer wrong", cookie }), context)).toBe(false);
  expect(
    isSignedIn(
      new Headers({ cookie: `${cookieName({ PORT: 3001 })}=${sessionValue(context.secrets)}` }),
      context,
    ),
  ).toBe(false);
  expect(isSignedIn(new Headers({ cookie: `${cookieName(context.env)}=` }), context)).toBe(false);
  expect(isSignedIn(new Headers(), context)).toBe(false);
});

test("a new launch token signs everybody out", () => {
  const cookie = `${cookieName(context.env)}=${sessionValue(context.secrets)}`;
  const changed = { ...context, secrets: { ...context.secrets, launchToken: "another-token-of-sixteen" } };
  expect(isSignedIn(new Headers({ cookie }), changed)).toBe(false);
});
