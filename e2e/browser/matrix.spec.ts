import { say, usage } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

test("two models answer three recorded questions, pause when the budget is used up, and go on with more", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  const api = apiOf(app);
  const record = async (text: string) => {
    const { runId } = await api.ask(text, { model: "openai/test-model" });
    await api.replay(runId);
    return runId;
  };
  model.script = () => [say("There are two."), usage(90, 10)];
  await record("How many are there in the second box?");
  await record("How many are there in the third box?");
  const tape = await record("How many are there?");
  model.script = ({ model: asked }) => [
    say(asked === "test-model" ? "There are two." : "There are three."),
    usage(900, 100),
  ];
  await chat.goto(`/runs/${tape}`);
  const opener = page.getByRole("button", { name: "Run again with several models…" });
  await opener.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("textbox", { name: "Find a model or an endpoint" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(opener).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "vision-model" }).press("Space");
  for (const box of ["second", "third"])
    await page.getByRole("checkbox", { name: `How many are there in the ${box} box?` }).press("Space");
  await page.getByRole("radio", { name: "tokens" }).press("Space");
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "Budget for all answers" }).fill("1000");
  await page.keyboard.press("Control+Enter");

  await expect(page).toHaveURL(/\/runs\/matrix\//);
  await expect(page.getByText("The budget is used up.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("textbox", { name: "New budget, in tokens" }).fill("50000");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "6 of 6 done" })).toBeVisible();

  const cells = page.getByRole("gridcell");
  const words = (same: RegExp, other: RegExp) => [same, other, same, other, same, other];
  await expect(cells).toHaveText(words(/same calls and answer/, /same calls, different answer/));
  await cells.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(cells.nth(3)).toBeFocused();
  await expect(cells.nth(3)).toHaveAttribute("aria-selected", "true");
  const detail = page.getByRole("region", { name: "The chosen answer" });
  await expect(detail.locator("ins")).toHaveText("three");
  await expectAccessible(page);

  const small = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await small.goto(new URL(page.url()).pathname);
  await expect(small.page.getByRole("gridcell")).toHaveText(
    words(/呼び出しも回答も同じ/, /呼び出しは同じ、回答は異なる/),
  );
  await expectNoSidewaysScroll(small.page);
  await expectAccessible(small.page);

  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/runs\/compare\?ids=/);

  await chat.goto(`/runs/${tape}`);
  await page.getByRole("link", { name: "2 models on 3 recordings" }).click();
  await expect(cells.first()).toBeVisible();
});
