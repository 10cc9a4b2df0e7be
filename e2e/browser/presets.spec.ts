import { join } from "node:path";
import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const script = join(import.meta.dirname, "../../lib/mcp/testing/fixture-server.mjs");
const fixture = { command: "node", args: [script, "plain"] };
const mcpConfig = { mcpServers: { files: fixture, notes: fixture, web: fixture } };
const own = (server: string) => ["echo", "environment", "wait"].map((tool) => `${server}__${tool}`);

const picker = (page: Page) => page.getByRole("button", { name: /^\d servers?, \d tools/ });
const task = (page: Page, name: string) => page.getByRole("menuitem", { name });
const choice = (page: Page, name: string | RegExp) => page.getByRole("menuitemcheckbox", { name });

test("a choice of servers is saved as a preset, chosen again, made the default, renamed, deleted and taken back", async ({
  startWithModel,
  open,
}) => {
  const { app, model } = await startWithModel([[say("Fine.")]], { mcpConfig });
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await picker(page).click();
  await choice(page, /^web 3 tools/).click();
  await expect(picker(page)).toHaveText(/^2 servers/);
  await picker(page).click();
  await task(page, "Save as preset…").click();
  const save = page.getByRole("dialog", { name: "Save as preset" });
  await expect(save.getByText("files, notes")).toBeVisible();
  await expect(save.getByLabel("Name")).toBeFocused();
  await save.getByRole("button", { name: "Save" }).click();
  await expect(save.getByRole("alert")).toHaveText("Enter a name.");
  await save.getByLabel("Name").fill("Research");
  await expectAccessible(page);
  await save.getByLabel("Name").press("Enter");
  await expect(page.getByText("Research saved")).toBeVisible();
  await expect(save).toHaveCount(0);
  expect(model.requests).toHaveLength(0); // Enter was for the dialog

  // It is the server's: there after a restart and in another browser, by @ as well as in the menu.
  await app.restart();
  await serversReady(app);
  const other = await open(app);
  await other.goto("/");
  await other.message.fill("@");
  const suggestions = other.page.getByRole("listbox", { name: "Suggestions" });
  await expect(suggestions.getByRole("option").filter({ hasText: /^@(R|files|notes|web)/ })).toHaveText([
    "@Research files, notes",
    /^@files/,
    /^@notes/,
    /^@web/,
  ]);
  await other.message.fill("@res");
  await other.message.press("Enter");
  await expect(other.message).toHaveValue("");
  await other.ask("One");
  await other.finished();
  expect(model.requests.at(-1)?.tools).toEqual([...own("files"), ...own("notes")]);

  await picker(other.page).click();
  await expect(choice(other.page, /^Research/)).toBeChecked();
  await task(other.page, "Edit presets…").click();
  const edit = other.page.getByRole("dialog", { name: "Server presets" });
  await edit.getByLabel("Name of Research").fill("調べもの");
  await edit.getByLabel("Name of Research").press("Enter");
  await edit.getByRole("switch", { name: "Use 調べもの for new conversations" }).click();
  await expectAccessible(other.page);
  await edit.getByRole("button", { name: "Delete 調べもの" }).click();
  await expect(edit.getByText("No presets yet.")).toBeVisible();
  await other.page.getByRole("button", { name: "Undo" }).click();
  await expect(edit.getByRole("switch", { name: "Use 調べもの for new conversations" })).toBeChecked();
  await edit.getByRole("button", { name: "Close" }).last().click();

  // New conversations begin with it, the first message that is sent at once as well.
  await chat.goto("/");
  await chat.ask("Two");
  await chat.finished();
  expect(model.requests.at(-1)?.tools).toEqual([...own("files"), ...own("notes")]);
  await page.reload();
  await expect(picker(page)).toHaveText(/^2 servers/);
});

test("a server that is not in the configuration is struck in its preset, and left out in words", async ({
  startWithModel,
  open,
}) => {
  const { app, model } = await startWithModel([[say("Fine.")]], { mcpConfig });
  await serversReady(app);
  const api = apiOf(app);
  await api.post("/api/mcp/presets", { name: "Research", servers: ["files", "gone"], default: true });
  const chat = await open(app);
  const { page } = chat;
  await chat.ask("One");
  await chat.finished();
  await expect(chat.lastTurn.getByText("so not used in this answer: gone.")).toBeVisible();
  expect(model.requests.at(-1)?.tools).toEqual(own("files"));
  await picker(page).click();
  const menu = page.getByRole("menu");
  await expect(menu.locator("s", { hasText: "gone" })).toHaveCount(2);
  await expectAccessible(page);
  await choice(page, /^gone \(removed\)/).click();
  await picker(page).click();
  await expect(menu.locator("s", { hasText: "gone" })).toHaveCount(1);
  await page.keyboard.press("Escape");
  await chat.ask("Two");
  await chat.finished();
  await expect(chat.lastTurn.getByText("so not used in this answer")).toHaveCount(0);
});

test("on a phone, in Japanese and in the dark, presets can be chosen and changed", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig });
  await serversReady(app);
  const api = apiOf(app);
  await api.post("/api/mcp/presets", { name: "調べもの", servers: ["files", "notes", "gone"] });
  await api.post("/api/mcp/presets", {
    name: "x".repeat(60),
    servers: ["web", "files", "notes", "a", "b", "c"],
  });
  const { page } = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
    ...{ isMobile: true, hasTouch: true },
  });
  await page.goto(app.baseUrl);
  const button = page.getByRole("button", { name: /^サーバー \d 台/ });
  await button.tap();
  await expect(page.getByText("サーバーのプリセット")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await choice(page, /^調べもの/).tap();
  await expect(button).toHaveText(/^サーバー 2 台/);
  await button.tap();
  await task(page, "プリセットを編集…").tap();
  await expect(page.getByRole("dialog").getByText("files、notes、gone")).toBeVisible();
  // It would bring up a keyboard over half the screen.
  expect(await page.evaluate(() => document.activeElement?.matches("input, textarea"))).toBe(false);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
