import { callTools, say, usage } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

test("an answer is run again on its recording from its page, and stands beside the old one", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  await serversReady(app);
  const list = { name: "filesystem__list_directory", args: { path: app.sandbox } };
  model.script = [
    [callTools(list), usage(1_200, 34)],
    [say("One file is there."), usage(1_300, 8)],
    [callTools(list), usage(1_200, 30)],
    [say("A single file is there."), usage(1_300, 9)],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What is there");
  await chat.finished();
  await chat.lastTurn.getByRole("link", { name: "Open run" }).click();

  const opener = page.getByRole("button", { name: "Run again on this recording" });
  await opener.focus();
  await page.keyboard.press("Enter");
  const asked = page.getByRole("combobox", { name: "Model" });
  await expect(asked).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByText("ends it", { exact: true }).click();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Question, if another one" }).press("Control+Enter");

  await expect(page).toHaveURL(/\/runs\/compare\?ids=/);
  await expect(page.getByText("from the recording")).toBeVisible();
  const differing = page.locator("[data-difference]");
  await expect(differing).toHaveCount(1);
  await expect(differing).toContainText("single");
  await expectAccessible(page);
  await page.getByRole("region", { name: "Answers beside each other" }).focus();
  await page.keyboard.press("ArrowDown");
  await expect(differing).toBeFocused();
  await page.getByRole("switch", { name: "Only what differs" }).click();
  await expect(page.getByText("1 loop is the same in all.")).toBeVisible();
  await expect(page).toHaveURL(/only=differences/);
  await page.reload();
  await expect(page.getByRole("switch", { name: "Only what differs" })).toBeChecked();

  const path = new URL(page.url()).pathname + new URL(page.url()).search;
  const small = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await small.goto(path);
  await expect(small.page.locator("[data-difference]")).toHaveCount(1);
  await expectNoSidewaysScroll(small.page);
  await expectAccessible(small.page);

  await page.getByRole("button", { name: "Go on from this answer" }).last().click();
  await expect(chat.lastTurn.getByText("A single file is there.")).toBeVisible();
});
