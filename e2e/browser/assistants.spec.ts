import { join } from "node:path";
import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const script = join(import.meta.dirname, "../../lib/mcp/testing/fixture-server.mjs");
const fixture = { command: "node", args: [script, "plain"] };
const mcpConfig = { mcpServers: { files: fixture, notes: fixture } };
const toolsOf = (server: string) => ["echo", "environment", "wait"].map((tool) => `${server}__${tool}`);
const told = (request: { body: Record<string, unknown> } | undefined) =>
  JSON.stringify((request?.body.messages as unknown[] | undefined)?.[0]);

async function make(page: Page): Promise<void> {
  await page.getByRole("button", { name: "New assistant" }).click();
  await page.getByRole("textbox", { name: "For" }).fill("Looks up charges");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Enter a name.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("Refund clerk");
  await page.getByRole("textbox", { name: "Instructions" }).fill("Speak like a clerk.");
  await page.getByText("only these", { exact: true }).click();
  await page.getByRole("switch", { name: "notes" }).click();
  await page.getByRole("textbox", { name: "Example 1" }).fill("Which orders were charged twice?");
}

test("an assistant is made, chosen on the empty page and by @, asked, and deleted", async ({
  startWithModel,
  open,
}) => {
  const { app, model } = await startWithModel([[say("Fine.")]], { mcpConfig });
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/assistants");
  await expect(page.getByText("No assistants yet.")).toBeVisible();
  await expectAccessible(page);
  await make(page);
  await expectAccessible(page);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Refund clerk saved")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Refund clerk" })).toBeFocused();

  await chat.goto("/");
  const card = page.getByRole("button", { name: "Refund clerk Looks up charges" });
  await card.click();
  await expect(card).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: /^1 server, 3 tools/ })).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Which orders were charged twice?" }).click();
  await expect(chat.message).toHaveValue("Which orders were charged twice?");
  await chat.ask("Which ones?");
  await chat.finished();
  expect(model.requests.at(-1)?.tools).toEqual(toolsOf("notes"));
  expect(told(model.requests.at(-1))).toContain("Speak like a clerk.");

  // In another browser the conversation has it too, and goes on without it.
  const path = new URL(page.url()).pathname;
  const other = await open(app);
  await other.goto(path);
  await other.page.getByRole("button", { name: "Go on without Refund clerk" }).click();
  await other.ask("And now?");
  await other.finished();
  expect(told(model.requests.at(-1))).not.toContain("clerk");

  await other.message.fill("@refu");
  await expect(other.page.getByRole("option", { name: /Refund clerk/ })).toBeVisible();
  await other.message.press("Enter");
  await expect(other.page.getByRole("link", { name: "Assistant: Refund clerk" })).toBeVisible();
  await other.ask("Again?");
  await other.finished();
  expect(told(model.requests.at(-1))).toContain("Speak like a clerk.");

  await chat.goto("/settings/assistants");
  await page.getByRole("button", { name: /^Refund clerk/ }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No assistants yet.")).toBeVisible();
  await other.page.reload();
  await expect(other.lastTurn).toContainText("Fine.");
  await expect(other.page.getByRole("link", { name: "Assistant: Refund clerk" })).toHaveCount(0);
  await other.ask("Still there?");
  await other.finished();
  expect(told(model.requests.at(-1))).not.toContain("clerk");
});

test("a file fills in the form, a broken one is named, and a long assistant that lost its server breaks no line", async ({
  chat,
  page,
  app,
}) => {
  const api = apiOf(app);
  const long = await api.post<{ id: string }>("/api/assistants", {
    name: "x".repeat(60),
    description: "An assistant with a long description. ".repeat(7).trim(),
    servers: ["a-server-that-is-gone"],
    model: "gone/model",
  });
  await chat.goto("/settings/assistants");
  const input = page.locator("input[type=file]");
  const choose = (content: unknown) =>
    input.setInputFiles({
      name: "clerk.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(content)),
    });
  await choose({ meguri: "assistant", version: 2, assistant: {} });
  await expect(page.getByText(/^clerk.json was exported by a newer Meguri/)).toBeVisible();
  await choose({ meguri: "assistant", version: 1, assistant: { name: "Imported", icon: "AB" } });
  await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Imported");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Must be one letter or one emoji.")).toBeVisible();
  await page.getByRole("textbox", { name: "Icon" }).fill("訳");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Imported saved")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export" }).click();
  expect((await download).suggestedFilename()).toBe("Imported.json");

  await expect(page.getByText("not there: gone/model, a-server-that-is-gone")).toBeVisible();
  await page.getByRole("button", { name: /^x{60}/ }).click();
  await expect(page.getByText("not there any more", { exact: true })).toBeVisible();
  for (const width of [1024, 820, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoSidewaysScroll(page);
  }
  await page.getByRole("button", { name: "All assistants" }).click();
  await expect(page.getByRole("list", { name: "Assistants" })).toBeVisible();
  await expectAccessible(page);
  const { items } = await api.get<{ items: { id: string }[] }>("/api/assistants");
  expect(items.map(({ id }) => id)).toContain(long.id);
  for (const { id } of items) await api.send("DELETE", `/api/assistants/${id}`);
});

test("on a phone, in Japanese and in the dark, an assistant is chosen, asked and left", async ({
  startWithModel,
  open,
}) => {
  const { app, model } = await startWithModel([[say("はい。")]], { mcpConfig });
  await apiOf(app).post("/api/assistants", {
    name: "返金係",
    description: "請求を調べる",
    instructions: "丁寧に答える",
    examples: ["二重に請求された注文は？"],
  });
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
    ...{ isMobile: true, hasTouch: true },
  });
  const { page } = chat;
  await chat.goto("/");
  await page.getByRole("button", { name: "返金係 請求を調べる" }).tap();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "二重に請求された注文は？" }).click();
  await page.getByRole("button", { name: "送信" }).click();
  await expect(chat.lastTurn).toContainText("はい。");
  expect(told(model.requests.at(-1))).toContain("丁寧に答える");
  const leave = page.getByRole("button", { name: /^返金係 ?を外す$/ });
  await leave.tap();
  await expect(leave).toHaveCount(0);
  await chat.goto("/settings/assistants");
  await page.getByRole("button", { name: /^返金係/ }).click();
  await expect(page.getByRole("heading", { name: "返金係" })).toBeFocused();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
