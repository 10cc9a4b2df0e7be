import type { Page } from "@playwright/test";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const line = "Temporary · not saved, gone when Meguri stops or after an hour without use";
const words = "pomegranate-in-memory";

/** All that the browser keeps for this page, as text. */
const storedIn = (page: Page) =>
  page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const caches = await globalThis.caches.keys();
    return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, caches, document.cookie]);
  });

test("a temporary chat says what it is, outlives a reload and leaves nothing in the browser", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  const toggle = page.getByRole("button", { name: "Temporary chat" });
  await chat.message.fill(`${words} draft`);
  await expect.poll(() => storedIn(page)).toContain(`${words} draft`);
  await toggle.click();
  await expect(toggle).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByText(line)).toBeVisible();
  await expect(chat.message).toHaveValue(`${words} draft`);
  // What was written before the switch goes out of the storage at its next write.
  await expect.poll(() => storedIn(page)).not.toContain(words);
  await expectAccessible(page);

  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles({
      ...{ name: `${words}.txt`, mimeType: "text/plain", buffer: Buffer.from(words) },
    });
  await expect(page.getByText(`${words}.txt`)).toBeVisible();
  // It is there once its size is told.
  await expect(page.getByText("1 kB", { exact: true })).toBeVisible();
  await chat.ask(`Say ${words}`);
  await chat.finished();
  const path = new URL(page.url()).pathname;
  expect(path).toMatch(/^\/c\/[\da-f]{8}-[\da-f]{4}-8/);
  await expect(page.getByText(line)).toBeVisible();
  await expect(page).toHaveTitle("Temporary chat · Meguri");
  await expect(chat.sidebar.getByText(words)).toHaveCount(0);

  await page.reload();
  await expect(chat.lastTurn).toContainText(words);
  await expect(page.getByText(line)).toBeVisible();
  await chat.message.fill(`${words} not sent`);
  // A draft that is kept is stored before its page goes.
  await page.reload();
  await expect(chat.lastTurn).toContainText(words);
  await expect(chat.message).toHaveValue("");
  expect(await storedIn(page)).not.toContain(words);
  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  for (const name of ["Share", "Export", "Archive", "Copy link"])
    await expect(page.getByRole("menuitem", { name, exact: true })).toHaveCount(0);
  await page.keyboard.press("Escape");

  await page.setViewportSize({ width: 360, height: 720 });
  await expect(page.getByText(line)).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);

  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "End temporary chat" }).click();
  await expect(page).toHaveURL(/\/$/);
  await chat.goto(path);
  await expect(page.getByRole("heading", { name: "This temporary chat has ended" })).toBeVisible();
  await page.getByRole("button", { name: "New temporary chat" }).click();
  await expect(page.getByText(line)).toBeVisible();
});

test("its key and the palette begin one from anywhere", async ({ chat, page }) => {
  await chat.goto("/settings");
  await expect(page.getByRole("heading").first()).toBeVisible();
  await page.keyboard.press("Control+Shift+L");
  await expect(page.getByText(line)).toBeVisible();
  await page.getByRole("button", { name: "Temporary chat" }).click();
  await expect(page.getByText(line)).toHaveCount(0);
  await page.keyboard.press("Control+K");
  await page.keyboard.type("Temporary");
  await page.getByRole("option", { name: /^Temporary chat/ }).click();
  await expect(page.getByText(line)).toBeVisible();
});
