import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const list = (path: string) => [callTools({ name: "filesystem__list_directory", args: { path } })];

test("a budget that is used up asks in the conversation, and Ctrl+Enter gives as much again", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  model.script = [list(app.sandbox), list(`${app.sandbox}/.`), [say("Looked twice.")]];
  const live = await apiOf(app).ask("Look twice", {
    model: "openai/test-model",
    options: { budget: { toolCalls: 1 } },
  });
  await live.closed;
  const { conversationId } = await apiOf(app).run(live.runId);
  await chat.goto(`/c/${conversationId}`);
  const card = page.getByRole("group", { name: "1 tool call used. Continue?" });
  await expect(card).toBeVisible();
  await expect(card.getByText(/Used so far: .*tool calls: 1/)).toBeVisible();
  await expect(page).toHaveTitle(/^\(waiting for you\) /);
  await expectAccessible(page);
  await card.focus();
  await page.keyboard.press("Control+Enter");
  await chat.finished();
  await expect(card).toHaveCount(0);
  await expect(chat.lastTurn.getByText("Looked twice.")).toBeVisible();
});

test("the third same call in a row is asked about, and F has the model answer now", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  const same = list(app.sandbox);
  model.script = [same, same, same, [say("That is all I know.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look again and again");
  const card = page.getByRole("group", { name: "The model is about to repeat the same call. Continue?" });
  await expect(card).toBeFocused();
  await page.keyboard.press("f");
  await chat.finished();
  await expect(chat.lastTurn.getByText("That is all I know.")).toBeVisible();
  expect(model.requests.at(-1)?.toolResults.at(-1)).toBe(
    "Not run: the budget of this run is used up. Answer now with what you have.",
  );
});

test("it asks in Japanese, on a phone in the dark, as well", async ({ open, app, model }) => {
  await serversReady(app);
  model.script = [list(app.sandbox), list(`${app.sandbox}/.`), [say("見ました。")]];
  const live = await apiOf(app).ask("二度見て", {
    model: "openai/test-model",
    options: { budget: { toolCalls: 1 } },
  });
  await live.closed;
  const { conversationId } = await apiOf(app).run(live.runId);
  const chat = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await chat.goto(`/c/${conversationId}`);
  const card = chat.page.getByRole("group", { name: "ツールを 1 回呼び出しました。続けますか？" });
  await expect(card).toBeVisible();
  await expectAccessible(chat.page);
  await expectNoSidewaysScroll(chat.page);
  await card.getByRole("button", { name: "あと 1 回" }).click();
  await expect(chat.page.getByText("見ました。")).toBeVisible();
});
