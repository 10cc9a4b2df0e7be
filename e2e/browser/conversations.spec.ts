import type { Locator, Page } from "@playwright/test";
import { apiOf } from "../support/api";
import { expect, test } from "../support/test";

test("a conversation is renamed in its row and in the bar, pinned, deleted and brought back", async ({
  chat,
  page,
}) => {
  const path = await chat.askAnew("count to 2 for the list");
  const row = (title: string) => chat.conversation(new RegExp(`^${title}`));
  const menu = async (title: string, entry: string) => {
    await row(title).hover();
    await page.getByRole("button", { name: `More for ${title}` }).click();
    await page.getByRole("menuitem", { name: entry, exact: true }).click();
  };
  await menu("count to 2 for the list", "Rename");
  await page.getByRole("textbox", { name: "Conversation name" }).fill("Counting");
  await page.keyboard.press("Enter");
  await expect(row("Counting")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Counting", level: 1 })).toBeVisible();

  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Rename" }).fill("Counted twice");
  await page.keyboard.press("Enter");
  await expect(row("Counted twice")).toBeVisible();

  await menu("Counted twice", "Pin");
  const pinned = chat.sidebar.getByRole("region", { name: "Pinned" });
  await expect(pinned.getByRole("link", { name: "Counted twice" })).toBeVisible();
  await menu("Counted twice", "Unpin");
  await expect(pinned).toHaveCount(0);

  await menu("Counted twice", "Delete");
  await expect(row("Counted twice")).toHaveCount(0);
  await expect(page).toHaveURL(/\/$/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row("Counted twice")).toBeVisible();
  await menu("Counted twice", "Delete");
  // Closing the page does not bring it back.
  await page.reload();
  await expect(
    chat.sidebar.getByRole("link").first().or(chat.sidebar.getByText("Nothing here yet")),
  ).toBeVisible();
  await expect(row("Counted twice")).toHaveCount(0);
  await chat.goto(path);
  await expect(page.getByRole("heading", { name: "Conversation not found" })).toBeVisible();
});

test("a message that cannot be sent comes back into the field and is sent once when the line is there", async ({
  chat,
  page,
}) => {
  await chat.askAnew("count to 2");
  await page.context().setOffline(true);
  await chat.message.fill("count to 4");
  await chat.message.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: "The server can’t be reached." })).toBeVisible();
  await expect(chat.message).toHaveValue("count to 4");
  await expect(chat.turns).toHaveCount(1);
  await page.context().setOffline(false);
  await chat.message.press("Enter");
  await expect(chat.turns).toHaveCount(2);
  await chat.finished();
  await expect(chat.lastTurn.getByText("1 2 3 4.")).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "can’t be reached" })).toHaveCount(0);
  await page.reload();
  await expect(chat.turns).toHaveCount(2);
});

test("conversations keep their own drafts and their own place", async ({ chat, page }) => {
  await chat.askAnew("count to 2 in the first");
  await chat.message.fill("a draft for the first");
  await page.getByRole("button", { name: "New chat" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.message).toHaveValue("");
  await chat.ask("count to 2 in the second");
  await chat.finished();
  await chat
    .conversation(/^count to 2 in the first/)
    .first()
    .click();
  await expect(chat.message).toHaveValue("a draft for the first");
  await page.goBack();
  await expect(chat.lastTurn.getByText("count to 2 in the second")).toBeVisible();
});

test("the list is scrolled to the conversation that is open, beside the page and in the drawer", async ({
  chat,
  app,
  page,
}) => {
  await page.setViewportSize({ width: 1000, height: 400 });
  const path = await chat.askAnew("count to 1 far down in the list");
  for (let count = 0; count < 12; count++)
    await (await apiOf(app).ask(`count to 1 above it, ${count}`)).closed;
  const row = chat.conversation(/^count to 1 far down/);
  await chat.goto("/");
  await expect(row).toBeVisible();
  await expect(row).not.toBeInViewport();
  await chat.goto(path);
  await expect(row).toBeInViewport({ ratio: 1 });

  await page.setViewportSize({ width: 400, height: 400 });
  await page.getByRole("button", { name: "Show sidebar" }).click();
  await expect(row).toBeInViewport({ ratio: 1 });
});

/** What the server drew is seen before React has taken it over; a key that is pressed in between goes nowhere, and is pressed again. */
const pressUntil = (page: Page, key: string, seen: Locator) =>
  expect(async () => {
    if (!(await seen.isVisible())) await page.keyboard.press(key);
    await expect(seen).toBeVisible({ timeout: 1_000 });
  }).toPass({ timeout: 20_000 });

test("a new chat that is asked for in the moment in which the one before gets its address is shown", async ({
  chat,
  page,
}) => {
  await chat.askAnew("count to 1");
  await page.getByRole("button", { name: "New chat" }).click();
  await expect(page.getByRole("heading", { name: "Where shall we start?" })).toBeVisible();
  await page.evaluate(() => {
    const replace = history.replaceState;
    history.replaceState = (...change: Parameters<typeof replace>) => {
      replace.apply(history, change);
      if (!String(change[2]).startsWith("/c/")) return;
      history.replaceState = replace;
      const keys = { key: "O", code: "KeyO", ctrlKey: true, shiftKey: true, bubbles: true };
      document.body.dispatchEvent(new KeyboardEvent("keydown", keys));
    };
  });
  await chat.message.fill("count to 2");
  await chat.message.press("Enter");
  await expect(chat.sidebar.getByText("count to 2").first()).toBeVisible();
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole("heading", { name: "Where shall we start?" })).toBeVisible();
  await expect(chat.turns).toHaveCount(0);
});

test.describe("keys", () => {
  test("Ctrl+Shift+O, Ctrl+Shift+S, Ctrl+., Ctrl+/ and Shift+Esc go where the sheet says", async ({
    chat,
    page,
  }) => {
    await chat.askAnew("count to 2");
    await page.keyboard.press("Control+Shift+O");
    await expect(page).toHaveURL(/\/$/);
    await expect(page.getByRole("heading", { name: "Where shall we start?" })).toBeVisible();

    await page.keyboard.press("Control+Shift+S");
    await expect(chat.sidebar).toHaveCount(0);
    // Chromium writes a cookie down a moment later, and a reload in this moment goes without it.
    const side = async () => (await page.context().cookies()).find(({ name }) => name === "side")?.value;
    await expect.poll(side).toBe("closed");
    await page.reload();
    await expect(page.getByRole("button", { name: "Show sidebar" })).toBeVisible();
    await expect(chat.sidebar).toHaveCount(0);
    await pressUntil(page, "Control+Shift+S", chat.sidebar);

    await page.getByRole("link", { name: "Settings" }).focus();
    await page.keyboard.press("Shift+Escape");
    await expect(chat.message).toBeFocused();

    await page.keyboard.press("Control+/");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(sheet.getByText("Control+Shift+O")).toBeAttached();
    await page.keyboard.press("Escape");
    await expect(sheet).toHaveCount(0);
    await expect(chat.message).toBeFocused();

    await page.keyboard.press("Control+.");
    await expect(page).toHaveURL(/\/settings(\/\w+)?$/);
    await expect(page.getByRole("navigation", { name: "Settings" })).toBeVisible();
  });
});
