import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

test("a call waits, is changed in place and made by a step, also after a reload", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  model.script = [
    [callTools({ name: "filesystem__list_directory", args: { path: app.sandbox } })],
    [say("Nothing is there.")],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("step mode");
  await page.getByRole("option", { name: /^Switch step mode/ }).click();
  const word = page.getByRole("button", { name: "Step mode" });
  await expect(word).toHaveAttribute("aria-pressed", "true");
  await chat.ask("Look");
  const asksModel = page.getByRole("group", { name: "Ask test-model, with this?" });
  await asksModel.getByRole("button", { name: /^system/ }).click();
  await asksModel.getByRole("textbox", { name: "system" }).fill("Only this.");
  await expectAccessible(page);
  await asksModel.getByRole("textbox", { name: "system" }).press("Control+Enter");

  const asksTool = page.getByRole("group", { name: "Call filesystem · list_directory?" });
  await expect(asksTool).toBeVisible();
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Only this.");
  await page.reload();
  await expect(word).toBeVisible();
  await asksTool.getByRole("button", { name: "Step" }).click();

  await asksModel.getByRole("button", { name: /list_directory.*new/ }).click();
  await asksModel.getByRole("textbox", { name: /list_directory/ }).fill("Empty.");
  await asksModel.getByRole("button", { name: "Run on" }).click();
  await chat.finished();
  await expect(word).toHaveCount(0);
  await expect(chat.lastTurn.getByText("Nothing is there.")).toBeVisible();
  expect(model.requests.at(-1)?.toolResults.at(-1)).toBe("[The user entered this result.]\nEmpty.");
});

test("it asks in Japanese, on a phone in the dark, as well, and Escape ends the run", async ({
  open,
  app,
  model,
}) => {
  await serversReady(app);
  model.script = [];
  const live = await apiOf(app).ask("見て", { model: "openai/test-model", options: { step: true } });
  await live.closed;
  const { conversationId } = await apiOf(app).run(live.runId);
  const chat = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const { page } = chat;
  await chat.goto(`/c/${conversationId}`);
  const card = page.getByRole("group", { name: "この内容で test-model を呼び出しますか？" });
  await expect(card).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await card.focus();
  await page.keyboard.press("Escape");
  await expect.poll(async () => (await apiOf(app).conversation(conversationId)).status).toBe("stopped");
});
