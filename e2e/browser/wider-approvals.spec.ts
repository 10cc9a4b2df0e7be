import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const asks = { pattern: "mcp:filesystem:*", effect: "ask" };
const list = '/tool filesystem__list_directory {"path": "."}';

test.afterEach(({ app }) => apiOf(app).patch("/api/settings", { rules: [] }));

test("the card says which rule asks, and allows all that only reads until the conversation's menu takes it back", async ({
  chat,
  page,
  app,
}) => {
  await apiOf(app).patch("/api/settings", { rules: [asks] });
  await chat.ask(list);
  await expect(chat.card.getByText("Your rule mcp:filesystem:* asks.")).toBeVisible();
  await chat.card.getByRole("button", { name: "More answers" }).click();
  await expect(
    page.getByRole("group", { name: /in this conversation alone, until you take it back/ }),
  ).toBeVisible();
  await expect(
    page.getByRole("group", { name: /^All tools of filesystem, .* until you remove the rule/ }),
  ).toBeVisible();
  await expectAccessible(page);
  // The letters of the card are not those of its menu.
  await page.keyboard.press("d");
  await page.keyboard.press("Escape");
  await expect(chat.card).toBeVisible();
  await chat.card.focus();
  await page.keyboard.press("Shift+R");
  await chat.finished();
  await chat.ask(list);
  await chat.finished();

  const allowed = page.getByRole("menuitemcheckbox", { name: "Tools that only read are allowed" });
  await page.getByRole("button", { name: "More", exact: true }).click();
  await allowed.click();
  await expect(page.getByText("Tools that only read follow your rules again.")).toBeVisible();
  await chat.ask(list);
  await expect(chat.card).toBeVisible();
  await page.keyboard.press("Shift+S");
  await chat.finished();
  expect(await apiOf(app).get("/api/settings")).toMatchObject({ rules: [{ ...asks, effect: "allow" }] });
});

test("on a phone, in Japanese, a rule holds for tools that can delete alone, and the menu is beside the first answer", async ({
  open,
  app,
}) => {
  const { page } = await open(app, { ...phone, locale: "ja-JP", colorScheme: "dark" });
  await page.goto(`${app.baseUrl}/settings/rules`);
  await page.getByRole("combobox", { name: "ツール", exact: true }).first().fill("mcp:filesystem:*");
  await page.getByRole("group", { name: "対象のツール" }).getByText("削除できるもの").click();
  await page.getByRole("button", { name: "追加" }).click();
  await expect(
    page.getByText("データを削除・上書きする可能性があるツール（申告なしを含む）だけ。"),
  ).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.goto(app.baseUrl);
  await page
    .getByRole("textbox", { name: "メッセージ" })
    .fill("Write a note called phone.md saying buy milk");
  await page.getByRole("button", { name: "送信" }).click();
  await expect(page.getByText(/ルール mcp:filesystem:\* が、削除・上書き/)).toBeVisible();
  // A narrower rule would ask again, and nothing that writes only reads: there is no wider answer to give.
  await expect(page.getByRole("button", { name: "ほかの回答" })).toHaveCount(0);
  await apiOf(app).patch("/api/settings", { rules: [] });
  await page.reload();
  const more = page.getByRole("button", { name: "ほかの回答" });
  const once = page.getByRole("button", { name: "今回だけ許可" });
  // The page may still grow above them between the two looks.
  await expect(async () => {
    const [a, b] = [await more.boundingBox(), await once.boundingBox()];
    expect([a?.y, a?.height]).toEqual([b?.y, 44]);
  }).toPass();
  await more.click();
  await expect(page.getByRole("menuitem", { name: "このサーバー全体を許可" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
});
