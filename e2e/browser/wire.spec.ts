import { raw, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

test("a question is recorded by the palette, and its run shows what went over the wire, a long answer too", async ({
  chat,
  page,
  app,
  model,
}) => {
  const comment = `: ${"a long line that nobody reads ".repeat(30)}\n\n`;
  model.script = [[raw(comment.repeat(900)), say("Recorded.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("record requests");
  await page.getByRole("option", { name: /^Switch recording of requests/ }).click();
  await expect(page.getByRole("button", { name: "Record requests" })).toHaveAttribute("aria-pressed", "true");
  await chat.ask("Tell me");
  await expect(chat.lastTurn.getByText("Recorded.")).toBeVisible();

  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const runId = (await apiOf(app).conversation(id)).runs.at(-1)?.id ?? "";
  await chat.goto(`/runs/${runId}`);
  await page.locator("[data-step]").first().click();
  for (const _ of [1, 2]) await page.keyboard.press("]");
  await expect(page.getByRole("radio", { name: "Wire" })).toBeChecked();
  await page.reload();
  await expect(page.getByRole("radio", { name: "Wire" })).toBeChecked();
  const request = page.getByRole("region", { name: "Request" });
  const response = page.getByRole("region", { name: "Response" });
  await expect(request.getByText(/^POST 127\.0\.0\.1:\d+, \d+ kB, keys removed$/)).toBeVisible();
  await expect(request.locator("pre")).toContainText('"model": "test-model"');
  await expect(response.getByText(/^200, first byte .* kB, as it came$/)).toBeVisible();
  await request.getByText(/headers$/).click();
  await expect(request.getByText("application/json").first()).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await response.getByRole("button", { name: "Show all" }).click();
  await expect(response.locator("pre")).toContainText("[DONE]");
  await page.keyboard.press("[");
  const sent = page.getByRole("radio", { name: "What it was sent" });
  await expect(sent).toBeChecked();
  await page.getByRole("link", { name: "Back to the conversation" }).click();
  await expect(chat.lastTurn.getByText("Recorded.")).toBeVisible();
  await page.goBack();
  await expect(sent).toBeChecked();
});

test("on a phone, in Japanese and in the dark: a turn that was not recorded leads to the switch, and one that was is read", async ({
  open,
  app,
  model,
}) => {
  model.script = [[say("はい。")]];
  const ask = async (options?: object) => {
    const live = await apiOf(app).ask("見て", { model: "openai/test-model", ...options });
    await live.closed;
    return live.runId;
  };
  const [without, recorded] = [await ask(), await ask({ options: { recordWire: true } })];
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  const { page } = chat;
  const openWire = async (runId: string) => {
    await chat.goto(`/runs/${runId}`);
    await page.locator("[data-step]").first().click();
    await page.getByText("通信内容", { exact: true }).click();
  };
  await openWire(recorded);
  await expect(page.getByRole("region", { name: "リクエスト" }).locator("pre")).toContainText(
    '"model": "test-model"',
  );
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await openWire(without);
  await page.getByRole("link", { name: "設定の「データ」で記録をオンにする" }).click();
  const record = page.getByRole("switch", { name: "通信内容を記録" });
  await record.click();
  await expect(record).toBeChecked();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await record.click();
  await expect(record).not.toBeChecked();
});
