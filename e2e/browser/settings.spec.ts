import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { App } from "../support/app";
import { serverScript } from "../support/default-servers";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const everything = serverScript("everything");
const rowOf = (page: Page, name: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("switch", { name: `${name} on`, exact: true }) });
const openRow = (page: Page, name: string) =>
  rowOf(page, name).getByRole("button", { name: new RegExp(`^${name}`) });
const readConfig = (app: App) =>
  JSON.parse(readFileSync(app.mcpConfig, "utf8")) as { mcpServers: Record<string, unknown> };

test("a server added by the form runs after its exact command was approved, and a chat can use it at once", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  await page.getByRole("button", { name: "Add a server" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a server" });
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(dialog.getByRole("alert")).toHaveText("Enter a name of letters, digits, - and _.");
  await dialog.getByRole("textbox", { name: "Name" }).fill("extra");
  await dialog.getByRole("textbox", { name: "Command" }).fill(`node "${everything}" stdio`);
  await dialog.getByRole("textbox", { name: "Environment" }).fill("GREETING=a secret");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("extra added. It needs your approval.")).toBeVisible();

  const row = rowOf(page, "extra");
  await expect(row.getByText("Approve the command")).toBeVisible();
  await expect(row.getByText("won’t start until you approve it")).toBeVisible();
  const form = row.locator("pre");
  await expect(form).toContainText(`node ${everything} stdio`);
  await expect(form).toContainText("GREETING=••••");
  await expect(page.getByText("a secret")).toHaveCount(0);
  expect(readConfig(app).mcpServers.extra).toEqual({
    command: "node",
    args: [everything, "stdio"],
    env: { GREETING: "a secret" },
  });
  await row.getByRole("button", { name: "Approve and run" }).click();
  await expect(row.getByText(/^Ready/)).toBeVisible();
  await openRow(page, "extra").click();
  await expect(row.getByRole("switch", { name: "echo offered to models" })).toBeChecked();

  await page.getByRole("link", { name: "Back to conversations" }).click();
  await chat.ask('/tool extra__echo {"message": "from the new server"}');
  await chat.finished();
  await expect(chat.toolLine("extra echo, done, ")).toBeVisible();
  await expect(chat.lastTurn.getByText("Echo: from the new server").last()).toBeVisible();

  await chat.goto("/settings/mcp");
  await openRow(page, "extra").click();
  await row.getByRole("switch", { name: "echo offered to models" }).click();
  await expect(row.getByRole("switch", { name: "echo offered to models" })).not.toBeChecked();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove extra?" }).getByRole("button", { name: "Cancel" }).click();
  await expect(row).toBeVisible();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog", { name: "Remove extra?" }).getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("extra removed.")).toBeVisible();
  await expect(row).toHaveCount(0);
  expect(readConfig(app).mcpServers).not.toHaveProperty("extra");
});

test("pasted JSON is shown before it is added, and broken JSON says its line", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  await chooseMore(page, "Paste");
  const dialog = page.getByRole("dialog", { name: "Paste a configuration" });
  const field = dialog.getByRole("textbox", { name: "Configuration" });
  await field.fill('{\n  "mcpServers": {\n    "one": { "command": "node", 1: 2 }\n  }\n}');
  await expect(dialog.getByRole("alert")).toContainText("Line 3");
  await expect(dialog.getByRole("button", { name: "Add", exact: true })).toBeDisabled();

  const one = { command: "node", args: [everything, "stdio"], kept: { by: "us" } };
  const pasted = { mcpServers: { one, two: { url: "http://127.0.0.1:9/mcp" }, memory: { command: "node" } } };
  await field.fill(JSON.stringify(pasted, null, 2));
  const preview = dialog.getByRole("region", { name: "Will be added" });
  await expect(preview.getByRole("listitem")).toHaveText([
    `onenode ${everything} stdio`,
    "twohttp://127.0.0.1:9/mcp",
    "memoryalready there, skipped",
  ]);
  expect(readConfig(app).mcpServers).not.toHaveProperty("one");
  await dialog.getByRole("button", { name: "Add 2 servers" }).click();
  await expect(page.getByText("2 servers added. They need your approval.")).toBeVisible();
  expect(readConfig(app).mcpServers.one).toEqual(one);
  await expect(rowOf(page, "two").getByText("Approve the address")).toBeVisible();

  // Whoever says yes to an address where nobody answers reads why it does not work.
  await rowOf(page, "two").getByRole("button", { name: "Connect" }).click();
  await expect(rowOf(page, "two").getByText("Not working")).toBeVisible({ timeout: 20_000 });
  await expect(
    rowOf(page, "two")
      .getByText(/127\.0\.0\.1:9/)
      .last(),
  ).toBeVisible();
  for (const name of ["one", "two"]) {
    await openRow(page, name).click();
    await rowOf(page, name).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(rowOf(page, name)).toHaveCount(0);
  }
});

test("a server is switched off and on, started again, and edited with a new approval", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  const row = rowOf(page, "sequential-thinking");
  await expect(row.getByText(/^Ready/)).toBeVisible();
  const pid = async () => /pid (\d+)/.exec((await row.textContent()) ?? "")?.[1];
  await row.getByRole("switch", { name: "sequential-thinking on" }).click();
  await expect(row.getByText(/^Off/)).toBeVisible();
  expect(readConfig(app).mcpServers["sequential-thinking"]).toHaveProperty("disabled", true);
  await row.getByRole("switch", { name: "sequential-thinking on" }).click();
  await expect(row.getByText(/^Ready/)).toBeVisible();
  const first = await pid();
  await openRow(page, "sequential-thinking").click();
  await row.getByRole("button", { name: "Restart" }).click();
  await expect.poll(pid).not.toBe(first);
  await expect(row.getByText(/^Ready/)).toBeVisible();

  await row.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit sequential-thinking" });
  const command = dialog.getByRole("textbox", { name: "Command" });
  await command.fill(`${await command.inputValue()} --again`);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(row.getByText("Approve the command")).toBeVisible();
  await expect(row.locator("pre")).toContainText("--again");
  await row.getByRole("button", { name: "Approve and run" }).click();
  await expect(row.getByText(/^Ready/)).toBeVisible();
});

test("a command that does not exist is told in words, and its log can be read", async ({ chat, page }) => {
  await chat.goto("/settings/mcp");
  await page.getByRole("button", { name: "Add a server" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a server" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("nowhere");
  await dialog.getByRole("textbox", { name: "Command" }).fill("no-such-program-anywhere --now");
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const row = rowOf(page, "nowhere");
  await row.getByRole("button", { name: "Approve and run" }).click();
  await expect(row.getByText("Not working")).toBeVisible();
  await expect(
    row.getByText(/no-such-program-anywhere.*(not found|cannot be found|not there|install)/i),
  ).toBeVisible();
  await row.getByRole("button", { name: "Log" }).click();
  await expect(row.getByRole("region", { name: "Log of nowhere" })).toBeVisible();
  // The others work on.
  await expect(rowOf(page, "filesystem").getByText(/^Ready/)).toBeVisible();
  await openRow(page, "nowhere").click();
  await row.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await expect(row).toHaveCount(0);
});

test("what changes in the file on disk shows up, and a broken file keeps the last good one", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp");
  await expect(rowOf(page, "filesystem").getByText(/^Ready/)).toBeVisible();
  const good = readFileSync(app.mcpConfig, "utf8");
  const config = readConfig(app);
  config.mcpServers["by-hand"] = { command: "node", args: [everything] };
  writeFileSync(app.mcpConfig, JSON.stringify(config, null, 2));
  /** Coming back from the editor is what makes the page look. */
  const back = () => page.evaluate(() => void dispatchEvent(new Event("focus")));
  await expect(async () => {
    await back();
    await expect(rowOf(page, "by-hand").getByText("Approve the command")).toBeVisible({ timeout: 500 });
  }).toPass();

  writeFileSync(app.mcpConfig, good.replace('"filesystem": {', '"filesystem": {,'));
  await expect(async () => {
    await back();
    await expect(page.getByRole("alert").filter({ hasText: "can’t be read" })).toContainText("Line 3", {
      timeout: 500,
    });
  }).toPass();
  await expect(rowOf(page, "filesystem").getByText(/^Ready/)).toBeVisible();

  writeFileSync(app.mcpConfig, good);
  await expect(async () => {
    await back();
    await expect(rowOf(page, "by-hand")).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await expect(page.getByRole("alert").filter({ hasText: "can’t be read" })).toHaveCount(0);
});

test("the model that is used by default is chosen in the settings", async ({ chat, page }) => {
  await chat.goto("/settings/models");
  const row = page.getByRole("listitem").filter({ hasText: "openai/test-model" });
  await row.getByRole("button", { name: "Make default" }).click();
  await expect(row.getByText("Default", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Back to conversations" }).click();
  await expect(page.getByRole("button", { name: "Model: test-model" })).toBeVisible();
  await chat.goto("/settings/models");
  await page.getByRole("listitem").filter({ hasText: "demo/demo" }).getByRole("button").click();
  await expect(page.getByRole("listitem").filter({ hasText: "demo/demo" })).toContainText("Default");
});
