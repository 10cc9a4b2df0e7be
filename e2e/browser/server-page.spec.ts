import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { SettingsItem } from "@/lib/protocol/settings";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { countFromNow } from "../support/server-log";
import { expect, test } from "../support/test";

const forms = { command: "node", args: [join(import.meta.dirname, "../support/forms-server.mjs")] };
const outcomeOf = (page: Page) => page.getByRole("region", { name: "Result" });
const choose = (page: Page, tool: string) => page.getByRole("button", { name: tool, exact: true }).click();

/** The same server under a name of the test's own, as the tests of a worker share an application. */
async function addForms(app: App, name: string): Promise<void> {
  const api = apiOf(app);
  await api.post("/api/mcp/servers", { name, config: forms });
  const { approvalHash } = await api.server(name);
  await api.post(`/api/mcp/servers/${name}/approve`, { hash: approvalHash });
  await expect.poll(async () => (await api.server(name)).status).toBe("ready");
}

test("a tool is tried by a form with lists, objects and choices; its arguments are kept for the next time", async ({
  chat,
  page,
  app,
}) => {
  await addForms(app, "kitchen");
  await chat.goto("/settings/mcp");
  await page.getByRole("button", { name: /^kitchen/ }).click();
  await page.getByRole("link", { name: "Page of kitchen" }).click();
  await expect(page.getByRole("heading", { name: "kitchen" })).toBeVisible();
  await expect(page.getByText("can delete or overwrite data")).toBeVisible();
  const form = page.getByRole("form", { name: "Arguments of order" });
  await expect(form.getByText("Where they sit")).toBeVisible();
  await form.getByLabel("table", { exact: true }).fill("41");
  await expect(form.getByText("from 1 to 40")).toBeVisible();
  await expect(form.getByRole("button", { name: "Call order" })).toBeDisabled();
  await form.getByLabel("table", { exact: true }).fill("4");
  await form.getByLabel("course").selectOption("main");
  await form.getByRole("button", { name: "Add to dishes" }).click();
  await form.getByRole("group", { name: "dishes 1" }).getByLabel("name").fill("soup");
  await form.getByRole("button", { name: "Add to dishes" }).click();
  await form.getByRole("group", { name: "dishes 2" }).getByLabel("name").fill("rice");
  await form.getByRole("group", { name: "guest" }).getByLabel("name").fill("Aoi");
  await form.getByRole("button", { name: "Add regular" }).click();
  await form.getByRole("switch", { name: "regular" }).click();
  await expectAccessible(page);
  const order = {
    ...{ table: 4, course: "main" },
    dishes: [
      { name: "soup", count: 1 },
      { name: "rice", count: 1 },
    ],
    guest: { name: "Aoi", regular: true },
  };
  const { calls } = await watchCalls(page);
  await form.getByLabel("table", { exact: true }).press("Control+Enter");
  await expect(outcomeOf(page).getByText("Done")).toBeVisible();
  expect(calls).toEqual([{ args: order }]);
  await expect(outcomeOf(page)).toContainText("soup");
  await outcomeOf(page).getByRole("button", { name: "Raw" }).click();
  await expect(outcomeOf(page).getByText('"method": "tools/call"')).toBeVisible();
  await expect(
    outcomeOf(page)
      .getByText(/"jsonrpc": "2.0"/)
      .last(),
  ).toContainText('"result"');
  await expectAccessible(page);

  await form.getByRole("button", { name: "Save these arguments" }).click();
  await form.getByRole("textbox", { name: "Name", exact: true }).fill("table of four");
  await form.getByRole("textbox", { name: "Name", exact: true }).press("Enter");
  await expect(form.getByRole("button", { name: "Fill in table of four" })).toBeVisible();
  await page.reload();
  await form.getByRole("button", { name: "Fill in table of four" }).click();
  await expect(form.getByRole("group", { name: "guest" }).getByLabel("name")).toHaveValue("Aoi");
  await form.getByRole("button", { name: "Arguments as JSON" }).click();
  expect(
    JSON.parse(await form.getByRole("textbox", { name: "Arguments", exact: true }).inputValue()),
  ).toEqual(order);
  await form.getByRole("textbox", { name: "Arguments", exact: true }).fill("[]");
  await expect(form.getByRole("alert")).toContainText("Not a JSON object");
  await form
    .getByRole("textbox", { name: "Arguments", exact: true })
    .fill(JSON.stringify({ ...order, table: 5 }));
  await form.getByRole("button", { name: "Arguments as a form" }).click();
  await expect(form.getByLabel("table", { exact: true })).toHaveValue("5");
  await form.getByRole("button", { name: "Delete table of four" }).click();
  await expect(form.getByRole("button", { name: "Fill in table of four" })).toHaveCount(0);
});

/** The bodies of the calls by hand that the page makes from here on. */
async function watchCalls(page: Page) {
  const calls: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/call")) calls.push(request.postDataJSON());
  });
  return { calls };
}

test("a long call shows how far it is, and is cancelled on its server", async ({ chat, page, app }) => {
  await chat.goto("/settings/mcp/everything");
  await choose(page, "trigger-long-running-operation");
  const form = page.getByRole("form", { name: "Arguments of trigger-long-running-operation" });
  await form.getByRole("button", { name: "Add duration" }).click();
  await form.getByLabel("duration", { exact: true }).fill("60");
  await form.getByRole("button", { name: "Add steps" }).click();
  await form.getByLabel("steps", { exact: true }).fill("120");
  await form.getByRole("button", { name: "Call trigger-long-running-operation" }).click();
  await expect(outcomeOf(page).getByText(/\d of 120/)).toBeVisible();
  await expectAccessible(page);
  const cancelled = countFromNow(app, "everything", "→ notifications/cancelled");
  await form.getByRole("button", { name: "Cancel" }).click();
  await expect(outcomeOf(page).getByText("Cancelled. The server was told.")).toBeVisible();
  await expect.poll(cancelled).toBe(1);
});

test("what happens when a tool is called is chosen in its line", async ({ chat, page, app }) => {
  await addForms(app, "ruled");
  await chat.goto("/settings/mcp/ruled");
  const effect = page.getByRole("group", { name: "order: when called" });
  await expect(effect.getByRole("radio", { name: "ask" })).toBeChecked();
  await effect.getByText("never").click();
  await expect(effect.getByRole("radio", { name: "never" })).toBeChecked();
  const rules = async () => (await apiOf(app).get<SettingsItem>("/api/settings")).rules;
  await expect.poll(rules).toContainEqual({ pattern: "mcp:ruled:order", effect: "deny" });
  await effect.getByRole("radio", { name: "never" }).press("ArrowLeft");
  await expect.poll(rules).toContainEqual({ pattern: "mcp:ruled:order", effect: "ask" });
  expect(await rules()).not.toContainEqual({ pattern: "mcp:ruled:order", effect: "deny" });

  // A choice that another rule passes over says which one.
  const overruled = page.getByText("Saved, but another rule takes precedence. The rule mcp:ruled:* applies.");
  await apiOf(app).patch("/api/settings", {
    rules: [...(await rules()), { pattern: "mcp:ruled:*", effect: "deny" }],
  });
  await page.reload();
  await expect(effect.getByRole("radio", { name: "never" })).toBeChecked();
  await effect.getByText("allow").click();
  await expect(overruled).toBeVisible();
  await expect(effect.getByRole("radio", { name: "never" })).toBeChecked();
  await expectAccessible(page);
  await apiOf(app).patch("/api/settings", {
    rules: (await rules()).filter(({ pattern }) => pattern !== "mcp:ruled:*"),
  });
  await page.reload();
  await expect(effect.getByRole("radio", { name: "allow" })).toBeChecked();
  await expect(overruled).toHaveCount(0);
});

test("resources are read and watched, templates completed, and prompts shown with their arguments", async ({
  chat,
  page,
  app,
}) => {
  await chat.goto("/settings/mcp/everything");
  await page.getByRole("tab", { name: /^Tools/ }).press("ArrowRight");
  await expect(page.getByRole("tab", { name: /^Resources/ })).toBeFocused();
  await page.getByRole("button", { name: /architecture\.md/ }).click();
  const resource = page.getByRole("region", { name: "architecture.md" });
  await resource.getByRole("button", { name: "Read", exact: true }).click();
  await expect(resource.getByText(/Everything Server/).first()).toBeVisible();
  await resource.getByRole("switch", { name: "Watch architecture.md for changes" }).click();
  await expect(resource.getByText("watched")).toBeVisible();
  const toggle = () =>
    apiOf(app).post("/api/mcp/servers/everything/tools/toggle-subscriber-updates/call", { args: {} });
  await toggle();
  await expect(resource.getByText("It has changed on the server.")).toBeVisible({ timeout: 30_000 });
  await toggle();
  await expectAccessible(page);
  // What could not be read is still the old one.
  await page.route("**/api/mcp/resources/read", (route) => route.abort());
  await resource.getByRole("button", { name: "Reload" }).click();
  await expect(resource.getByRole("alert")).toBeVisible();
  await expect(resource.getByText("It has changed on the server.")).toBeVisible();
  await page.unroute("**/api/mcp/resources/read");
  await resource.getByRole("button", { name: "Reload" }).click();
  await expect(resource.getByText("It has changed on the server.")).toHaveCount(0);

  await page.getByRole("button", { name: /Dynamic Text Resource/ }).click();
  const template = page.getByRole("form", { name: /Dynamic Text Resource/ });
  await template.getByLabel("resourceId").fill("7");
  await expect(template.locator("option[value='7']")).toHaveCount(1);
  await template.getByRole("button", { name: "Read" }).click();
  await expect(page.getByText(/plaintext resource/)).toBeVisible();

  await page.getByRole("tab", { name: /^Prompts/ }).click();
  await page.getByRole("button", { name: /Team Management/ }).click();
  const prompt = page.getByRole("form", { name: "Team Management" });
  await prompt.getByLabel("department").fill("Engineering");
  await prompt.getByLabel("name").fill("A");
  await expect(prompt.locator("option[value=Alice]")).toHaveCount(1);
  await prompt.getByLabel("name").fill("Alice");
  await prompt.getByRole("button", { name: "Preview" }).click();
  await expect(page.getByText(/promote Alice to the head of the Engineering team/)).toBeVisible();
  await expectAccessible(page);
  await page.reload();
  await expect(page.getByRole("tab", { name: /^Prompts/ })).toHaveAttribute("aria-selected", "true");
});

test("lists that cannot be had say why, and are asked for again", async ({ chat, page }) => {
  for (const [list, offer] of [
    ["resources", /architecture\.md/],
    ["prompts", /Team Management/],
  ] as const) {
    await page.route(`**/api/mcp/${list}`, (route) => route.abort());
    await chat.goto(`/settings/mcp/everything?tab=${list}`);
    const alert = page.getByRole("tabpanel").getByRole("alert");
    await expect(alert).toContainText("This couldn’t be loaded.");
    await expectAccessible(page);
    await page.unroute(`**/api/mcp/${list}`);
    await alert.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("button", { name: offer })).toBeVisible();
  }
});

test("the log comes as it is written; it is filtered, held and copied, and keeps a bounded tail", async ({
  chat,
  page,
  app,
}) => {
  await addForms(app, "noisy");
  const shout = (lines: number) =>
    apiOf(app).post("/api/mcp/servers/noisy/tools/shout/call", { args: { lines } });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.goto("/settings/mcp/noisy?tab=log");
  const log = page.getByRole("region", { name: "Log of noisy" });
  await expect(log.getByText("tools/list")).not.toHaveCount(0);
  await shout(3);
  await expect(log.getByText("shouted 3")).toBeVisible();
  await page.getByRole("checkbox", { name: "protocol" }).uncheck();
  await expect(log.getByText("tools/list")).toHaveCount(0);
  await page.getByRole("searchbox", { name: "Find in the log" }).fill("SHOUTED 2");
  await expect(log.getByText(/shouted/)).toHaveText([/shouted 2$/]);
  await page.getByRole("button", { name: "Copy lines shown" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^\S+Z stderr shouted 2\n$/);
  await page.getByRole("searchbox", { name: "Find in the log" }).fill("");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Pause" }).click();
  await shout(5);
  await expect(page.getByText(/\d+ newer lines/)).toBeVisible();
  await expect(log.getByText("shouted 5")).toHaveCount(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(log.getByText("shouted 5")).toBeVisible();

  // Each round ends with a line of its own, is there in full before the next, and is less than the server keeps.
  const lines = log.locator(":scope > div > div");
  for (let count = 901; count <= 907; count++) {
    await shout(count);
    await expect(lines.filter({ hasText: `shouted ${count}` })).toBeVisible();
  }
  const drawn = await lines.count();
  expect(drawn).toBeGreaterThan(4_900);
  expect(drawn).toBeLessThanOrEqual(5_000);
});

test("the page speaks Japanese, is dark, and fits a phone", async ({ open, app }) => {
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  const { page } = chat;
  await chat.goto("/settings/mcp/everything");
  await expect(page.getByRole("tab", { name: /^ツール/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "echo", exact: true })).toBeVisible();
  await expect(page.getByRole("form")).toBeHidden();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await choose(page, "get-structured-content");
  await page.getByRole("button", { name: "get-structured-content を呼び出す" }).click();
  await expect(page.getByRole("region", { name: "結果" }).getByText("完了")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "一覧に戻る" }).click();
  await expect(page.getByRole("button", { name: "echo", exact: true })).toBeVisible();
  for (const [tab, text] of [
    ["リソース", /architecture\.md/],
    ["プロンプト", /Team Management/],
    ["設定", "モデルへの指示"],
  ] as const) {
    await page.getByRole("tab", { name: tab }).click();
    await expect(page.getByRole("tabpanel").getByText(text).first()).toBeVisible();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
  }
  await page.getByRole("tab", { name: "ログ" }).click();
  await expect(page.getByRole("region", { name: "everything のログ" })).toContainText("tools/list");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
