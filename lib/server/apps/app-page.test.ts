import { expect, test } from "vitest";
import { appOrigin } from "@/lib/server/env";
import { appPage, appPageUrl } from "./app-page";
import { appPolicy, nobody, withoutHosts } from "./app-policy";

const secrets = { appSecret: "a".repeat(32), launchToken: "b".repeat(32) };
const context = { env: { PORT: 3000 }, secrets } as unknown as Parameters<typeof appPage>[1];
const domains = { connect: ["https://api.example"], resource: ["https://*.cdn.example"], frame: [] };
const ofPage = (url: string) => appPage(url.replace("http://apps:1", ""), context);
const directive = (policy: string, name: string) =>
  policy.split("; ").find((part) => part.startsWith(`${name} `));

test("without named hosts an app reaches nobody", () => {
  const policy = appPolicy(nobody, ["http://127.0.0.1:3000"]);
  expect(policy.match(/https?:[^ ;]*/g)).toEqual(["http://127.0.0.1:3000"]);
  expect(policy).toContain("default-src 'none'");
  expect(directive(policy, "connect-src")).toBe("connect-src data: blob:");
  expect(directive(policy, "frame-src")).toBe("frame-src 'none'");
  expect(directive(policy, "form-action")).toBe("form-action 'none'");
  expect(policy).not.toContain("'self'");
});

test("named hosts stand where they are named for, and only our own pages may hold the frame", () => {
  const { status, headers } = ofPage(appPageUrl("http://apps:1", domains, context));
  const policy = headers["Content-Security-Policy"] ?? "";
  expect(status).toBe(200);
  expect(directive(policy, "connect-src")).toBe("connect-src data: blob: https://api.example");
  expect(directive(policy, "img-src")).toBe("img-src data: blob: https://*.cdn.example");
  expect(directive(policy, "script-src")).not.toContain("api.example");
  expect(directive(policy, "frame-ancestors")).toBe(
    "frame-ancestors http://127.0.0.1:3000 http://localhost:3000",
  );
});

test("nobody but us sets a policy", () => {
  const url = appPageUrl("http://apps:1", nobody, context);
  const other = url.replace(/policy=[^&]*/, `policy=${encodeURIComponent('[["*"],[],[]]')}`);
  expect(
    [ofPage(url), ofPage(other), ofPage("/"), ofPage(`/x${url.slice(13)}`)].map(({ status }) => status),
  ).toEqual([200, 404, 404, 404]);
});

test("an app does not get to our own hosts by naming them, nor by a wildcard over them", () => {
  const named = {
    connect: ["https://*.example", "https://api.other"],
    resource: ["https://m.example"],
    frame: [],
  };
  expect(withoutHosts(named, ["m.example"])).toEqual({
    connect: ["https://api.other"],
    resource: [],
    frame: [],
  });
});

test("apps run on a port of their own, and behind a proxy only at an address of their own", () => {
  const env = { HOST: "127.0.0.1", APP_PORT: 4001, APP_URL: undefined, PUBLIC_URL: "https://m.example" };
  expect(appOrigin(env, "127.0.0.1:3000")).toBe("http://127.0.0.1:4001");
  expect(appOrigin(env, "m.example")).toBeUndefined();
  expect(appOrigin({ ...env, APP_URL: "https://apps.example/" }, "m.example")).toBe("https://apps.example");
});
