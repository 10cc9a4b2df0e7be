import type { BrowserContextOptions } from "@playwright/test";
import type { RunItem } from "@/lib/protocol/http";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, type ScriptedModel, test } from "../support/test";

const phone: BrowserContextOptions = {
  ...{ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
  colorScheme: "dark",
};

/** A conversation of more turns than one page holds; the first one says a word that no other has. */
async function longConversation(app: App, model: ScriptedModel, word: string): Promise<string> {
  model.script = [[say("In the west.")]];
  const { ask, get } = apiOf(app);
  const first = await ask(`Where does the ${word} live?`, { model: "openai/test-model" });
  await first.closed;
  const { conversationId } = await get<RunItem>(`/api/runs/${first.runId}`);
  for (let turn = 1; turn <= 26; turn++) {
    const next = await ask(`And number ${turn}?`, { conversationId });
    await next.closed;
  }
  return conversationId;
}

test("the palette finds a message that is not loaded, goes there, and gives the focus back when it is closed", async ({
  open,
  app,
  model,
}) => {
  const id = await longConversation(app, model, "quokka");
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await chat.message.fill("half a thought");
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox");
  await expect(field).toBeFocused();
  await expect(page.getByRole("group", { name: "Commands" }).getByRole("option")).toHaveCount(6);
  await expectAccessible(page);

  await page.keyboard.type("quokka live");
  const messages = page.getByRole("group", { name: "Messages" }).getByRole("option");
  await expect(messages.first().getByText("quokka", { exact: true }).first()).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(field).toHaveValue("");
  await page.keyboard.press("Escape");
  await expect(chat.message).toBeFocused();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("quokka live");
  await messages.first().waitFor();
  const conversations = page.getByRole("group", { name: "Conversations" });
  await conversations.getByRole("option").first().waitFor();
  await page.keyboard.press("Tab");
  await expect(messages).toHaveCount(0);
  await page.keyboard.press("Tab");
  await expect(conversations).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/c/${id}\\?message=`));
  const question = chat.turns.first().getByText("Where does the quokka live?");
  await expect(question).toBeInViewport();
  await page.reload();
  await expect(question).toBeInViewport();
  await page.mouse.move(640, 400);
  await page.mouse.wheel(0, 4_000);
  await expect(page).toHaveURL(new RegExp(`/c/${id}$`));

  await page.keyboard.press("Control+k");
  await page.keyboard.type("xyzzy nowhere");
  await page.getByRole("option", { name: "Ask this in a new chat" }).waitFor();
  await page.keyboard.press("Enter");
  await expect(chat.message).toHaveValue(/xyzzy nowhere$/);
});

test("all of a conversation is searched, and keys go from question to question", async ({
  open,
  app,
  model,
}) => {
  const id = await longConversation(app, model, "wombat");
  await (await apiOf(app).ask("list the files", { conversationId: id, model: "demo/demo" })).closed;
  const chat = await open(app);
  const { page } = chat;
  await chat.goto(`/c/${id}`);
  await expect(chat.turns.last()).toBeInViewport();
  await page.keyboard.press("Control+Shift+F");
  const field = page.getByRole("textbox", { name: "Find in this conversation" });
  await expect(field).toBeFocused();
  await page.keyboard.type("list_directory");
  await expect(field).toHaveValue("list_directory");
  const line = chat.toolLine("filesystem list_directory, done");
  await expect(line).toHaveAttribute("aria-expanded", "true");
  await field.fill("wombat");
  const count = page.locator("search").getByRole("status");
  await expect(count).toHaveText(/^\d of \d$/);
  await page.keyboard.press("Enter");
  await expect(chat.turns.first().getByText("Where does the wombat live?")).toBeInViewport();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(field).toHaveCount(0);
  await expect(chat.message).toBeFocused();

  await page.keyboard.press("Alt+ArrowDown");
  await expect(chat.turns.nth(1).getByText("And number 1?", { exact: true })).toBeInViewport();
  await page.keyboard.press("Alt+ArrowUp");
  await expect(chat.turns.first().getByText("Where does the wombat live?")).toBeInViewport();
});

test("on a phone the palette has the whole screen, and fingers find its rows", async ({ open, app }) => {
  const chat = await open(app, phone);
  const { page } = chat;
  await chat.goto("/");
  await page.getByRole("button", { name: "Show sidebar" }).tap();
  await page.getByRole("button", { name: "Search and commands" }).tap();
  const palette = page.getByRole("dialog", { name: "Search and commands" });
  expect(await palette.boundingBox()).toMatchObject({ x: 0, y: 0, width: 360, height: 740 });
  for (const row of await palette.getByRole("option").all())
    expect((await row.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await palette.getByRole("combobox").fill("> short");
  await palette.getByRole("option", { name: "Keyboard shortcuts" }).tap();
  await expect(palette).toHaveCount(0);
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await expectNoSidewaysScroll(page);
});
