import type { Locator, Page } from "@playwright/test";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

/** The last one stands first in the list. */
async function fill(app: App, titles: readonly string[]): Promise<void> {
  for (const title of titles) await apiOf(app).post("/api/conversations", { title });
}

test("several are chosen by mouse and keys, put into a project, archived, and everything is taken back", async ({
  start,
  open,
}) => {
  const app = await start(noServers);
  await fill(app, ["five", "four", "three", "two", "one"]);
  await apiOf(app).post("/api/projects", { name: "Refunds" });
  const { page, sidebar, conversation } = await open(app).then((chat) => ({
    ...{ page: chat.page, sidebar: chat.sidebar },
    conversation: (title: string) => chat.conversation(title),
  }));
  await page.goto(app.baseUrl);
  const box = (title: string) => sidebar.getByRole("checkbox", { name: title });
  const slip = page.getByRole("status").filter({ has: page.getByRole("button", { name: "Undo" }) });
  await conversation("two").click({ modifiers: ["ControlOrMeta"] });
  await expect(page.getByRole("status").filter({ hasText: "1 chosen" })).toBeVisible();
  await box("four").click({ modifiers: ["Shift"] });
  await expect(sidebar.getByRole("checkbox", { checked: true })).toHaveCount(3);
  await expectAccessible(page);
  await box("three").press("x");
  await expect(box("three")).not.toBeChecked();

  const folder = sidebar.getByRole("link", { name: /^Refunds/ });
  await box("two").dragTo(folder);
  await expect(slip).toContainText("2 moved to Refunds");
  await expect(folder).toHaveAccessibleName("Refunds 2 conversations");
  await conversation("three").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(folder).toHaveAccessibleName("Refunds No conversations");

  await conversation("three").focus();
  await page.keyboard.press("ArrowDown");
  await expect(conversation("four")).toBeFocused();
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await expect(slip).toContainText("2 archived");
  await expect(conversation("three")).toHaveCount(0);
  await sidebar.getByRole("link", { name: "Archive 2" }).click();
  await expect(page.getByRole("main").getByRole("listitem")).toHaveCount(2);
  await expect(page).toHaveTitle("Archive · Meguri");
  await expectAccessible(page);
  await page.getByRole("button", { name: "Bring back four" }).click();
  await expect(conversation("four")).toBeVisible();
  await page.getByRole("button", { name: "Delete three" }).click();
  await expect(page.getByText("Nothing is archived.")).toBeVisible();
  await expect(slip).toContainText("Deleted “three”.");
  await slip.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("main").getByRole("link", { name: "three" })).toBeVisible();

  await conversation("one").press("x");
  await page.keyboard.press("Escape");
  await expect(sidebar.getByRole("checkbox")).toHaveCount(0);
  await expect(conversation("one")).toBeFocused();
});

test("on a phone and in Japanese a long press chooses, and the slip leaves the message field free", async ({
  start,
  open,
}) => {
  const app = await start(noServers);
  await fill(app, ["三", "二", "一"]);
  const { page } = await open(app, {
    locale: "ja-JP",
    viewport: { width: 360, height: 740 },
    colorScheme: "dark",
    hasTouch: true,
  });
  await page.goto(app.baseUrl);
  await page.getByRole("button", { name: "サイドバーを表示" }).click();
  const drawer = page.getByRole("dialog", { name: "会話" });
  await press(page, drawer.getByRole("link", { name: "二" }));
  await expect(drawer.getByRole("checkbox", { name: "二" })).toBeChecked();
  await drawer.getByRole("checkbox", { name: "三" }).tap();
  await expect(drawer.getByText("2 件を選択中")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await drawer.getByRole("button", { name: "アーカイブ" }).click();
  const slip = page.getByRole("status").filter({ hasText: "2 件をアーカイブしました" });
  const undo = slip.getByRole("button", { name: "元に戻す" });
  await expect(undo).toBeVisible();
  const [button, field] = [await undo.boundingBox(), await page.locator("[data-box]").boundingBox()];
  if (!button || !field) throw new Error("One of them is not on the page.");
  expect(button.y + button.height < field.y || button.y > field.y + field.height).toBe(true);
  await expectAccessible(page);
  await undo.tap();
  await page.getByRole("button", { name: "サイドバーを表示" }).click();
  await expect(drawer.getByRole("link", { name: "二" })).toBeVisible();
});

/** A finger that stays until the row is chosen. */
async function press(page: Page, row: Locator): Promise<void> {
  const { x = 0, y = 0, width = 0, height = 0 } = (await row.boundingBox()) ?? {};
  const touch = { touchPoints: [{ x: x + width / 2, y: y + height / 2 }] };
  const session = await page.context().newCDPSession(page);
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", ...touch });
  await expect(page.getByRole("checkbox").first()).toBeVisible();
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

test("where what can be done with chosen conversations cannot be fetched, nothing stays chosen and it is told", async ({
  start,
  open,
}) => {
  const app = await start(noServers);
  await fill(app, ["two", "one"]);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await expect(chat.conversation("two")).toBeVisible();
  await page.route("**/_next/static/chunks/*.js", (route) => route.abort());
  await chat.conversation("two").click({ modifiers: ["ControlOrMeta"] });
  await expect(page.getByText("A part of this page could not be loaded.")).toHaveCount(1);
  await expect(chat.sidebar.getByRole("checkbox")).toHaveCount(0);
});
