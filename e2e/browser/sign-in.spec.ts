import type { Page } from "@playwright/test";
import { type ProtectedServer, startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import type { App } from "../support/app";
import { expectAccessible } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

let server: ProtectedServer;
test.beforeEach(async () => {
  server = await startProtectedServer();
});
test.afterEach(() => server.close());

/** An application that has just been told of the server. */
async function addRemote(app: App): Promise<void> {
  await app.fetch("/api/mcp/servers", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "remote", config: { url: server.url } }),
  });
}

const rowOf = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("switch", { name: `${name} on`, exact: true }) });

test("a server that wants a sign-in gets one, keeps it over a restart, and loses it by signing out", async ({
  start,
  open,
}) => {
  const app = await start(noServers);
  await addRemote(app);
  const chat = await open(app, { visits: [server.issuer] });
  const { page } = chat;
  await chat.goto("/settings/mcp");
  const row = rowOf(page, "remote");
  await row.getByRole("button", { name: "Connect" }).click();
  await expect(row.getByText("This server requires you to sign in.")).toBeVisible();
  // What was pressed is gone; the keyboard goes on in the row.
  await expect(row.getByRole("button", { name: /^remote/ })).toBeFocused();
  await row.getByRole("button", { name: "Sign in" }).click();

  // The authorization server has another address in our network, which is approved by itself.
  const host = new URL(server.issuer).host;
  await expect(
    row.getByText(`Its sign-in page is at ${host}, an address in your own network.`),
  ).toBeVisible();
  await expect(page.getByText(/PRIVATE_HOSTS/)).toHaveCount(0);
  await expectAccessible(page);
  await row.getByRole("button", { name: "Allow" }).click();
  await expect(row.getByText(`private addresses for sign-in ${host}`)).toBeVisible();
  await row.getByRole("button", { name: "Connect" }).click();
  await row.getByRole("button", { name: "Sign in" }).click();

  // Whose page it is stands there before anybody goes.
  await expect(row.getByText(`You sign in at ${host} and then come back here.`)).toBeVisible();
  await expectAccessible(page);
  await row.getByRole("link", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "login" })).toBeVisible();
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.getByRole("heading", { name: "consent" })).toBeVisible();
  await page.getByRole("button", { name: "Go on" }).click();

  await expect(page).toHaveURL(/\/settings\/mcp\/remote$/);
  await expect(page.getByText(/^Ready/)).toBeVisible();
  await expect(page.getByText(`Signed in at ${host}.`)).toBeVisible();
  await chat.goto("/");
  await chat.ask("/tool remote__echo {}");
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText("over HTTP").last()).toBeVisible();

  await app.restart();
  await chat.goto("/settings/mcp/remote");
  await expect(page.getByText(/^Ready/)).toBeVisible();
  // The first one, beside the settings, leaves Meguri itself.
  await page.getByRole("button", { name: "Sign out" }).last().click();
  await expect(page.getByText("This server requires you to sign in.")).toBeVisible();
});

test("a sign-in that was declined, or that nobody waits for, says so", async ({ start, open }) => {
  // The authorization server is on loopback, too, on a port of its own.
  const app = await start({ ...noServers, env: { PRIVATE_HOSTS: "127.0.0.1:*" } });
  await addRemote(app);
  const chat = await open(app, { visits: [server.issuer] });
  const { page } = chat;
  await chat.goto("/settings/mcp");
  const row = rowOf(page, "remote");
  await row.getByRole("button", { name: "Connect" }).click();
  await row.getByRole("button", { name: "Sign in" }).click();
  await row.getByRole("link", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/settings\/mcp\/remote$/);
  await expect(page.getByText("The sign-in was declined.")).toBeVisible();

  await chat.goto("/api/mcp/oauth/callback?code=guessed&state=guessed");
  await expect(page).toHaveURL(/\/settings\/mcp$/);
  await expect(page.getByText("This sign-in expired. Start again.")).toBeVisible();
});
