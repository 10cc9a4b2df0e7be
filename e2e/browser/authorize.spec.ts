import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

/** Where a program waits for its code, as those do that open a browser. */
async function listen() {
  const server = createServer((_, response) => response.end("Go back to the program.")).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return { url, close: () => server.close() };
}

test("a program that only knows OAuth is let in on a page that says who asks, and has the servers that were chosen", async ({
  start,
  open,
}) => {
  const app = await start();
  const callback = await listen();
  const { page } = await open(app, { visits: [new URL(callback.url).origin] });
  const kept: Record<string, unknown> = {};
  const authProvider = {
    redirectUrl: callback.url,
    clientMetadata: { client_name: "An editor, laptop", redirect_uris: [callback.url] },
    state: () => "st",
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => Object.assign(kept, { client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => Object.assign(kept, { tokens }),
    redirectToAuthorization: (url: URL) => Object.assign(kept, { url }),
    saveCodeVerifier: (verifier: string) => Object.assign(kept, { verifier }),
    codeVerifier: () => kept.verifier,
  } as unknown as OAuthClientProvider;
  const transport = () => new StreamableHTTPClientTransport(new URL(`${app.ownUrl}/mcp`), { authProvider });
  const connect = async (by: StreamableHTTPClientTransport) => {
    const client = new Client({ name: "an-editor", version: "1" });
    await client.connect(by as Parameters<Client["connect"]>[0]);
    return client;
  };
  const first = transport();
  await expect(connect(first)).rejects.toThrow();

  await page.goto(String(kept.url));
  await expect(page.getByRole("heading", { name: "Allow An editor, laptop to connect?" })).toBeVisible();
  await expect(page.getByText(`The answer goes to ${new URL(callback.url).host}.`)).toBeVisible();
  await page.getByRole("button", { name: "Allow" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Choose at least one server." })).toBeVisible();
  await page.getByRole("checkbox", { name: /^filesystem/ }).check();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL(`${callback.url}?**`);
  await first.finishAuth(new URL(page.url()).searchParams.get("code") ?? "");
  const client = await connect(transport());
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(0);
  expect(tools.every(({ name }) => name.startsWith("filesystem__"))).toBe(true);
  await client.close();

  await page.goto(`${app.ownUrl}/settings/clients`);
  await expect(page.getByText("An editor, laptop")).toBeVisible();
  // A request that is wrong leads nowhere.
  const wrong = new URL(String(kept.url));
  wrong.searchParams.set("redirect_uri", "https://elsewhere.example/");
  await page.goto(wrong.href);
  await expect(page.getByText("an address that the program has not named")).toBeVisible();
  await expect(page.getByRole("button", { name: "Allow" })).toHaveCount(0);
  callback.close();
});
