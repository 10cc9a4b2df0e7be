import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { callApi, withApplication } from "./testing/call-api";

/** Answers each path with its JSON, and everything else with a wish for a sign-in. */
async function serve(documents: (origin: string) => Record<string, object>): Promise<string> {
  const server = createServer((request, response) => {
    const found = documents(`http://${request.headers.host}`)[request.url ?? ""];
    response.writeHead(found ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(found ?? {}));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  afterAll(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const issuer = await serve((origin) => ({
  "/.well-known/oauth-authorization-server": {
    ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
    ...{ registration_endpoint: `${origin}/register`, response_types_supported: ["code"] },
    ...{ code_challenge_methods_supported: ["S256"], token_endpoint_auth_methods_supported: ["none"] },
  },
  "/register": { client_id: "meguri", redirect_uris: [], token_endpoint_auth_method: "none" },
}));
const remote = await serve((origin) => ({
  "/.well-known/oauth-protected-resource/mcp": {
    resource: `${origin}/mcp`,
    authorization_servers: [issuer],
  },
}));
withApplication({ remote: { url: `${remote}/mcp` } });

const path = "/api/mcp/servers/remote";
const server = async (): Promise<McpServerItem> => (await callApi("GET", path)).json();
const signIn = async () => {
  const response = await callApi("POST", `${path}/login`, {});
  return [response.status, (await response.json()).host];
};

test("a sign-in that leads to another address of this machine is begun once that has been approved", async () => {
  const { host } = new URL(issuer);
  expect((await server()).status).toBe("needs_login");
  expect((await signIn())[0]).toBeGreaterThanOrEqual(400);
  const { login, config } = await server();
  expect(login?.privateHost).toBe(host);

  // As the page does it.
  const patch = { config: { ...config, privateHosts: [host] } };
  const changed: McpServerItem = await (await callApi("PATCH", path, patch)).json();
  expect(changed).toMatchObject({ status: "needs_approval", approvalForm: { privateHosts: [host] } });
  expect((await callApi("POST", `${path}/approve`, { hash: changed.approvalHash })).status).toBe(200);
  await expect.poll(async () => (await server()).status).toBe("needs_login");
  expect(await signIn()).toEqual([200, host]);
  expect((await server()).login?.privateHost).toBeNull();
});
