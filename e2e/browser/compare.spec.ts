import type { Page } from "@playwright/test";
import { say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const column = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("one question goes to two models beside each other, and one of them goes on", async ({
  chat,
  page,
  model,
}) => {
  const held = Promise.withResolvers<void>();
  model.script = (request) =>
    request.model === "test-model" ? [say("Slowly "), until(held.promise), say("there.")] : [say("At once.")];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await page.getByRole("button", { name: /^Model:/ }).click();
  await page.getByRole("menuitem", { name: "Compare models…" }).click();
  const dialog = page.getByRole("dialog", { name: "Compare models" });
  const use = dialog.getByRole("button", { name: "Compare" });
  await expect(use).toBeDisabled();
  await dialog.getByRole("checkbox", { name: /^vision-model/ }).press("Space");
  await expectAccessible(page);
  await use.click();
  await expect(page.getByRole("button", { name: "2 models compared: change" })).toBeVisible();
  await chat.message.fill("Which way?");
  await chat.message.press("Enter");

  const [slow, fast] = [column(page, "test-model"), column(page, "vision-model")];
  await expect(fast.getByText("At once.")).toBeVisible();
  await expect(slow.getByText("Slowly")).toBeVisible();
  await expect(page.locator("[data-question]")).toHaveText(["Which way?"]);
  await expect(slow.getByRole("button", { name: /^Go on/ })).toHaveCount(0);
  await page.waitForURL(/\/c\//);
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await expect(fast.getByRole("button", { name: "Go on with this" })).toBeVisible();
    await expect(slow.getByText("answering")).toBeVisible();
    await expect(slow.getByText("Slowly")).toBeVisible();
  }
  await expectAccessible(page);
  // The one that still answers cannot be chosen, nor does what one writes.
  await chat.message.press("2");
  await expect(chat.message).toHaveValue("2");
  await chat.message.fill("");
  await slow.getByRole("heading", { name: "test-model" }).click();
  await page.keyboard.press("1");
  await page.keyboard.press("2");
  await expect(chat.turns).toHaveCount(1);
  await expect(chat.lastTurn.getByText("At once.")).toBeVisible();
  await expect(chat.lastTurn.getByText("2 / 2")).toBeVisible();
  await expect(page.getByRole("button", { name: "Model: vision-model" })).toBeVisible();
  held.resolve();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).first().click();
  await expect(chat.lastTurn.getByText("Slowly there.")).toBeVisible();
});

test("on a phone one answer is seen at a time, and Stop ends all that go on", async ({
  app,
  open,
  model,
}) => {
  const held = Promise.withResolvers<void>();
  model.script = (request) =>
    request.model === "test-model" ? [say("Slowly "), until(held.promise)] : [say("At once.")];
  const { conversationId } = await apiOf(app).post<{ conversationId: string }>("/api/chat", {
    message: { text: "Which way?" },
    compare: ["openai/test-model", "openai/vision-model"],
  });
  const chat = await open(app, { viewport: { width: 390, height: 844 } });
  const { page } = chat;
  await chat.goto(`/c/${conversationId}`);
  const tabs = page.getByRole("tab");
  await expect(page.getByRole("tabpanel").getByText("Slowly")).toBeVisible();
  await expect(page.getByText("At once.")).toBeHidden();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Stop all" }).click();
  await expect(page.getByRole("tabpanel").getByText("stopped", { exact: true })).toBeVisible();
  held.resolve();
  await tabs.first().focus();
  await page.keyboard.press("ArrowRight");
  await expect(tabs.last()).toBeFocused();
  await expect(page.getByRole("tabpanel").getByText("At once.")).toBeVisible();
  await chat.message.fill("More");
  await expect(page.getByRole("status").getByText("Choose an answer to go on with first.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send" })).toBeDisabled();
  await page.getByRole("button", { name: "Go on with this" }).click();
  await expect(chat.lastTurn.getByText("At once.")).toBeVisible();
  await expect(chat.message).toHaveValue("More");
});
