import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { fixture, openPool, type TestPool } from "@/lib/mcp/testing/test-pool";
import type { McpServerConfig } from "@/lib/protocol/mcp";

const open: TestPool[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
});
const start = async (servers: Record<string, McpServerConfig>, trustFile = false, env = {}) => {
  const pool = await openPool(servers, {
    trustFile,
    env: { PATH: process.env.PATH, ...env },
  });
  open.push(pool);
  return pool;
};
const formOf = ({ pool }: TestPool, name: string) => pool.server(name)?.approvalForm;

test("an approval shows each reference as it is written, and nothing that is literal", async () => {
  const at = await start({
    remote: {
      url: `https://api.example/mcp?key=abc\${env:URL_KEY}&page=2`,
      headers: {
        "X-Client": `\${env:AWS_SECRET_ACCESS_KEY}`,
        Authorization: `Bearer \${secret:TOKEN}`,
        "X-Mixed": `literal-\${PART:-literal$2}`,
        "X-Plain": "literal-secret",
      },
      oauth: { clientId: "me", clientSecret: `\${env:CLIENT_SECRET}`, privateKey: "literal-key" },
    },
    local: { ...fixture("plain"), env: { A: `\${HOME_TOKEN}`, B: "literal" } },
  });
  expect(formOf(at, "remote")).toEqual({
    url: `https://api.example/mcp?key=••••\${env:URL_KEY}&page=2`,
    headerNames: ["X-Client", "Authorization", "X-Mixed", "X-Plain"],
    headers: [
      { name: "X-Client", value: `\${env:AWS_SECRET_ACCESS_KEY}` },
      { name: "Authorization", value: `Bearer \${secret:TOKEN}` },
      { name: "X-Mixed", value: `••••\${PART:-••••}` },
      { name: "X-Plain", value: "••••" },
    ],
    oauth: [
      { name: "clientId", value: "me" },
      { name: "clientSecret", value: `\${env:CLIENT_SECRET}` },
      { name: "privateKey", value: "••••" },
    ],
    sends: ["AWS_SECRET_ACCESS_KEY", "CLIENT_SECRET", "PART", "URL_KEY"],
    sendsTo: "api.example",
  });
  expect(formOf(at, "local")).toMatchObject({
    env: [
      { name: "A", value: `\${HOME_TOKEN}` },
      { name: "B", value: "••••" },
    ],
  });
  expect(formOf(at, "local")).not.toHaveProperty("sends");
});

test("a value of the environment goes to a server only when it was named in the approval", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(404).end();
  }).listen(0, "127.0.0.1");
  try {
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    const remote = {
      url: `http://127.0.0.1:${port}/mcp`,
      headers: { "X-Client": `\${env:AWS_SECRET_ACCESS_KEY}`, "X-Other": `\${OTHER}` },
    };
    const at = await start({ remote }, false, { AWS_SECRET_ACCESS_KEY: "canary-value", OTHER: "x" });
    const hash = at.pool.server("remote")?.approvalHash ?? "";
    for (const sends of [undefined, [], ["OTHER"]])
      await expect(at.pool.file.approve("remote", hash, sends)).rejects.toMatchObject({
        code: "invalid",
        path: "sends",
        message: expect.stringContaining("the value of AWS_SECRET_ACCESS_KEY"),
      });
    expect(at.pool.server("remote")?.status).toBe("needs_approval");
    expect(at.approvals.size).toBe(0);
    expect(seen).toEqual([]);

    await at.pool.file.approve("remote", hash, ["AWS_SECRET_ACCESS_KEY", "OTHER"]);
    await at.settled("remote");
    expect(seen[0]).toMatchObject({ "x-client": "canary-value" });
  } finally {
    server.close();
  }
});

test("what a server is told of, may ask for and signs in with belongs to what is approved", async () => {
  const remote: McpServerConfig = { url: "http://127.0.0.1:9/mcp", oauth: { scope: "read" }, roots: ["/a"] };
  const local = fixture("plain");
  const at = await start({ remote, local }, true);
  const changes: [string, McpServerConfig, McpServerConfig][] = [
    ["remote", remote, { oauth: { scope: "write" } }],
    ["remote", remote, { oauth: { scope: "read", clientSecret: `\${env:AWS_SECRET_ACCESS_KEY}` } }],
    ["remote", remote, { roots: ["/b"] }],
    ["remote", remote, { sampling: true }],
    ["local", local, { roots: ["/"] }],
    ["local", local, { sampling: true }],
  ];
  for (const [name, before, change] of changes) {
    await at.pool.file.update(name, { ...before, ...change });
    expect(at.pool.server(name)?.status, JSON.stringify(change)).toBe("needs_approval");
    await at.pool.file.update(name, before);
    expect(at.pool.server(name)?.status).not.toBe("needs_approval");
  }
});

test("what hides in names and values of an approval is written out", async () => {
  const at = await start({
    odd: { url: "https://api.example/\u202e", headers: { "A\u200b": `\${env:X:-\n}\u3164`, B: `\${env:Y}` } },
  });
  expect(formOf(at, "odd")).toMatchObject({
    url: "https://api.example/\\u202e",
    headers: [
      { name: "A\\u200b", value: `\${env:X:-••••}••••` },
      { name: "B", value: `\${env:Y}` },
    ],
  });
});
