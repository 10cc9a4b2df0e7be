import { expect, test } from "vitest";
import { appOrigin, programOrigin } from "@/lib/server/env";
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

test("a page for artifacts reaches nobody, whatever its address says, and hears nothing but what it is to show", () => {
  const { status, headers, body } = appPage('/artifact?policy=[["*"],["*"],["*"]]', context);
  expect(status).toBe(200);
  expect(headers["Content-Security-Policy"]).toBe(
    appPolicy(nobody, ["http://127.0.0.1:3000", "http://localhost:3000"]),
  );
  expect(body).toContain('frame.sandbox = "allow-scripts";');
  expect(body).toContain("RTCPeerConnection");
  expect(ofPage(appPageUrl("http://apps:1", nobody, context)).body).not.toContain("RTCPeerConnection");
  expect(appPage("/artifact/x", context).status).toBe(404);
  for (const path of ["//", "/\\\\", "//["]) expect(appPage(path, context).status, path).toBe(404);
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

test("pages of models run under the other name of this machine, where there is one", () => {
  const env = { HOST: "127.0.0.1", APP_PORT: 4001, APP_URL: undefined, PUBLIC_URL: undefined };
  expect(programOrigin(env, "127.0.0.1:3000")).toBe("http://localhost:4001");
  expect(programOrigin(env, "localhost:3000")).toBe("http://127.0.0.1:4001");
  expect(programOrigin(env, "m.example")).toBe("http://127.0.0.1:4001");
  expect(programOrigin({ ...env, APP_URL: "https://apps.example" }, "localhost:3000")).toBe(
    "https://apps.example",
  );
  expect(programOrigin({ ...env, APP_PORT: 0 }, "127.0.0.1:3000")).toBeUndefined();
});

test("apps run on a port of their own, and behind a proxy only at an address of their own", () => {
  const env = { HOST: "127.0.0.1", APP_PORT: 4001, APP_URL: undefined, PUBLIC_URL: "https://m.example" };
  expect(appOrigin(env, "127.0.0.1:3000")).toBe("http://127.0.0.1:4001");
  expect(appOrigin(env, "m.example")).toBeUndefined();
  expect(appOrigin({ ...env, APP_URL: "https://apps.example/" }, "m.example")).toBe("https://apps.example");
});

test("diagrams are drawn by Mermaid's own files, in a page without an origin that reaches nobody", () => {
  const { status, headers, body } = appPage("/diagrams", context);
  const policy = headers["Content-Security-Policy"] ?? "";
  expect(status).toBe(200);
  expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; script-src 'self';/);
  expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|connect-src|img-src/);
  expect(directive(policy, "frame-ancestors")).toBe(
    "frame-ancestors http://127.0.0.1:3000 http://localhost:3000",
  );
  expect(body).not.toMatch(/<script>|on\w+=/);
  const script = appPage("/diagrams.mjs", context);
  expect(script.headers["Access-Control-Allow-Origin"]).toBe("*");
  expect(script.body).toContain('securityLevel: "strict"');
});
