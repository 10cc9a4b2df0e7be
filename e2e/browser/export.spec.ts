import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import type { Download, Page } from "@playwright/test";
import type { ConversationFile } from "@/lib/protocol/conversation-file";
import { expect, test } from "../support/test";

async function exportAs(page: Page, format: string): Promise<Download> {
  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Export", exact: true }).focus();
  await page.keyboard.press("ArrowRight");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: format, exact: true }).click(),
  ]);
  return download;
}

const textOf = async (download: Download): Promise<string> => readFile(await download.path(), "utf8");

test("a conversation is exported from its menu; the page it makes opens from the disk and asks nobody", async ({
  chat,
  page,
  app,
  open,
}, info) => {
  await chat.askAnew("show markdown");
  const json = await exportAs(page, "JSON, with everything");
  expect(json.suggestedFilename()).toBe("show markdown.json");
  const file: ConversationFile = JSON.parse(await textOf(json));
  expect(file.messages.map(({ message: { role } }) => role)).toEqual(["user", "assistant"]);
  expect(await textOf(await exportAs(page, "Markdown"))).toContain("> show markdown");
  const html = await exportAs(page, "HTML page");
  const path = info.outputPath("conversation.html");
  await html.saveAs(path);
  const reader = (await open(app, { stranger: true })).page;
  const asked: string[] = [];
  reader.on("request", (request) => asked.push(request.url()));
  await reader.goto(pathToFileURL(path).href);
  await expect(reader.getByRole("heading", { name: "show markdown", level: 1 })).toBeVisible();
  await expect(reader.getByRole("table")).toBeVisible();
  expect(asked).toEqual([pathToFileURL(path).href]);
  const { wide, seen } = await reader.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    seen: document.documentElement.clientWidth,
  }));
  expect(wide).toBe(seen);
});

test("an answer is copied as Markdown with its calls", async ({ app, open }) => {
  const chat = await open(app, { permissions: ["clipboard-read", "clipboard-write"] });
  await chat.callTool("filesystem__list_directory", { path: "." });
  await chat.finished();
  await chat.lastTurn.getByRole("button", { name: "Copy as Markdown, with the calls" }).click();
  await expect(chat.lastTurn.getByRole("button", { name: "Copied" })).toBeVisible();
  const copied = await chat.page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toContain("<summary>Tool call: <code>filesystem__list_directory</code></summary>");
  expect(copied).toContain('"path": "."');
});
