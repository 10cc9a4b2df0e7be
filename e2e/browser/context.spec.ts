import { say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

test("what fills the context is dropped and put back beside the thread, with the mouse and with keys", async ({
  chat,
  model,
}) => {
  const { page } = chat;
  model.script = [[say(`Long: ${"words of the answer ".repeat(120)}`)], [say("Second.")], [say("Third.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What was it?");
  await chat.finished();
  const gauge = page.getByRole("button", { name: /^What fills the context/ });
  const before = (await page.getByRole("main").boundingBox())?.width ?? 0;
  await gauge.press("Enter");
  const panel = page.getByRole("complementary", { name: "Context" });
  await expect(panel).toBeFocused();
  expect((await panel.boundingBox())?.width).toBe(380);
  expect(before - ((await page.getByRole("main").boundingBox())?.width ?? 0)).toBe(380);
  const row = panel.getByRole("listitem").filter({ hasText: "Answer: Long" });
  await row.hover();
  await row.getByRole("button", { name: "Drop" }).click();
  await expect(row).toContainText("dropped");
  await expectAccessible(page);
  await chat.ask("And now?");
  await chat.finished();
  const sent = () => JSON.stringify(model.requests.at(-1)?.body.messages);
  expect(sent()).not.toContain("words of the answer");
  expect(sent()).toContain("left this message out");

  await page.setViewportSize({ width: 390, height: 844 });
  expect((await panel.boundingBox())?.width).toBe(390);
  await expect(row.getByRole("button", { name: "Put back" })).toBeVisible();
  await expectNoSidewaysScroll(page);
  await row.getByRole("button", { name: "Put back" }).press("d");
  await expect(row).not.toContainText("dropped");
  await row.getByRole("button", { name: "Pin" }).press("p");
  await expect(row).toContainText("pinned");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(gauge).toBeFocused();
  await chat.ask("Once more?");
  await chat.finished();
  expect(sent()).toContain("words of the answer");
});
