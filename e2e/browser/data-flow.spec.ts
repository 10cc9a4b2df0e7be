import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const words = "This folder belongs to the test.";
const read = callTools({ name: "filesystem__read_text_file", args: { path: "welcome.md" } });
const entity = { name: "folder", entityType: "note", observations: [words] };
const write = callTools({ name: "memory__create_entities", args: { entities: [entity] } });

test.beforeEach(({ app }) =>
  apiOf(app).patch("/api/settings", { rules: [{ pattern: "mcp:*:*", effect: "allow" }] }),
);
test.afterEach(({ app }) => apiOf(app).patch("/api/settings", { rules: [] }));

test("what goes from one server to another is shown before it goes, and always is a rule that the settings tell", async ({
  chat,
  page,
  app,
  model,
}) => {
  model.script = [[read], [write], [say("Kept.")]];
  await chat.chooseModel("test-model");
  await chat.ask("Keep what the file says");
  await expect(chat.card.getByText("It passes on what another server returned.")).toBeVisible();
  await expect(
    chat.card.getByText(/^entities holds \d+ characters returned by filesystem · read_text_file:/),
  ).toBeVisible();
  await expect(chat.card.getByRole("button", { name: "Always from filesystem to memory" })).toBeVisible();
  await expectAccessible(page);

  // It is still there after a reload.
  await page.reload();
  await chat.card.focus();
  await page.keyboard.press("Shift+A");
  await chat.finished();
  await expect(chat.toolLine("memory create_entities, done")).toContainText("text from filesystem");

  await page.reload();
  await expect(chat.toolLine("memory create_entities, done")).toContainText("text from filesystem");
  await chat.toolLine("memory create_entities, done").click();
  await expect(chat.lastTurn.getByText(/^entities holds \d+ characters returned by/)).toBeVisible();

  await page.goto(`${app.baseUrl}/settings/rules`);
  const rule = page.getByRole("listitem").filter({ hasText: "Only about text that filesystem returned" });
  await expect(rule).toContainText("mcp:memory:*");
  await expect(rule.getByRole("radio")).toHaveCount(3);
});

test("on a phone, in Japanese and in the dark, a no keeps it here", async ({ open, app, model }) => {
  model.script = [[read], [write], [say("Not kept.")]];
  const { page } = await open(app, { ...phone, locale: "ja-JP", colorScheme: "dark" });
  await apiOf(app).patch("/api/settings", { defaultModel: "openai/test-model" });
  await page.goto(app.baseUrl);
  await page.getByRole("textbox", { name: "メッセージ" }).fill("ファイルの内容を覚えて");
  await page.getByRole("button", { name: "送信" }).click();
  await expect(page.getByText("別のサーバーが返した内容を渡します。")).toBeVisible();
  await expect(page.getByRole("button", { name: "filesystem から memory へは常に許可" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "拒否" }).click();
  await expect(page.getByText("Not kept.")).toBeVisible();
  await apiOf(app).patch("/api/settings", { defaultModel: null });
});
