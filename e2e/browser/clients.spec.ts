import { existsSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Locator } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

test("a program is added, calls, waits for its person in the thread, and is revoked", async ({
  chat,
  app,
  page,
}) => {
  await chat.goto("/settings/clients");
  const add = page.getByRole("button", { name: "Add a client" });
  const dialog = page.getByRole("dialog");
  await expect(page.getByText("No clients yet.")).toBeVisible();
  await add.click();
  await dialog.getByRole("button", { name: "Create token" }).click();
  await expect(dialog.getByText("Give it a name.")).toBeVisible();
  await expect(dialog.getByText("Choose at least one server")).toBeVisible();
  await dialog.getByLabel("Name", { exact: true }).fill("An editor, laptop");
  await dialog.getByRole("checkbox", { name: /^filesystem/ }).check();
  await expectAccessible(page);
  await dialog.getByLabel("Name", { exact: true }).press("Enter");

  const field = dialog.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^mgr_[\w-]{43}$/);
  await expect(dialog.getByText("claude mcp add --transport http meguri")).toBeVisible();
  await dialog.getByLabel("VS Code").check({ force: true });
  await expect(dialog.getByText('"promptString"')).toBeVisible();
  await expect(dialog.getByText("Nothing has called yet.")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  const client = new Client({ name: "an-editor", version: "1" });
  const headers = { authorization: `Bearer ${await field.inputValue()}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${app.ownUrl}/mcp`), {
    requestInit: { headers },
  });
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  await expect(dialog.getByText("It has called.")).toBeVisible();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect(add).toBeFocused();

  const args = { path: "from-the-editor.md", content: "hello" };
  const call = client.callTool({ name: "filesystem__write_file", arguments: args });
  await expect(page.getByText("One waits for you.")).toBeVisible();
  await expectAccessible(page);
  // The program is told of the page of its run, which leads to the question as well.
  const waiting = await page.request.get(`${app.ownUrl}/api/runs?kind=gateway&status=waiting`);
  await chat.goto(`/runs/${(await waiting.json()).items[0].id}`);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Answer", exact: true }).click();
  await expect(chat.card).toBeVisible();
  await page.goBack();
  await page.goBack();
  await page.getByRole("link", { name: "Answer" }).click();
  await expect(chat.card).toHaveAccessibleName(/^Allow “write file” for from-the-editor\.md\?/);
  await expect(chat.conversation("waiting An editor, laptop")).toBeVisible();
  await expect(page.getByText("Another program calls tools here")).toBeVisible();
  await expectAccessible(page);
  await expect(chat.card.getByRole("button", { name: "For this session" })).toBeVisible();
  await expect(chat.card.getByLabel("Reason for the program")).toBeVisible();
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await call;
  expect(existsSync(join(app.sandbox, "from-the-editor.md"))).toBe(true);
  await expect(chat.card).toHaveCount(0);
  await expect(chat.conversation(/An editor, laptop/)).toHaveCount(0);
  // Both calls of the session stand together, also on a visit later.
  await client.callTool({ name: "filesystem__list_allowed_directories", arguments: {} });
  const session = page.getByRole("region", { name: "Calls of this session" });
  await expect(session.getByRole("link")).toHaveCount(2);
  await page.reload();
  await expect(session.getByRole("link", { name: /write_file.*from-the-editor\.md.*done/ })).toBeVisible();
  await expectAccessible(page);

  await chat.goto("/settings/clients");
  await expect(page.getByText("Last 24 hours: 2 calls, 1 asked, 0 denied.")).toBeVisible();
  await page.getByRole("link", { name: "2 calls in 24 h" }).click();
  await expect(page.getByRole("heading", { name: "Calls of An editor, laptop" })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "All calls" }).click();
  const called = page.getByRole("link", { name: /write_file.*An editor, laptop/ });
  await called.click();
  await expect(page).toHaveURL(/\/runs\//);

  await chat.goto("/settings/clients");
  const revoke = page.getByRole("button", { name: "Revoke An editor, laptop" });
  const row = page.getByRole("listitem").filter({ has: revoke });
  const middleOf = async (part: Locator) =>
    part.evaluate((element) => element.getBoundingClientRect()).then(({ y, height }) => y + height / 2);
  expect(Math.abs((await middleOf(revoke)) - (await middleOf(row)))).toBeLessThanOrEqual(1);
  await revoke.click();
  await dialog.getByRole("button", { name: "Revoke", exact: true }).click();
  await expect(page.getByText("revoked", { exact: false }).last()).toBeVisible();
  await expect(client.listTools()).rejects.toThrow();
  await page.getByRole("button", { name: "Remove An editor, laptop" }).click();
  await expect(page.getByText("No clients yet.")).toBeVisible();
  await client.close();
});

test("older calls that could not be loaded are asked for again", async ({ chat, page }) => {
  let isAway = true;
  await page.route("**/api/runs?kind=gateway*", (route) => {
    if (!new URL(route.request().url()).searchParams.has("cursor"))
      return route.fulfill({ json: { items: [], nextCursor: "older" } });
    return isAway ? route.abort() : route.fulfill({ json: { items: [], nextCursor: null } });
  });
  await chat.goto("/settings/clients/calls");
  const older = page.getByRole("button", { name: "Show older calls" });
  await older.click();
  const again = page.getByRole("button", { name: "Try again" });
  await expect(again).toBeVisible();
  isAway = false;
  await again.click();
  await expect(older).toHaveCount(0);
  await expect(again).toHaveCount(0);
});
