import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const tool = "filesystem__write_file";
const propose = (...steps: object[]) => callTools({ name: "meguri__propose_plan", args: { steps } });

test("a plan is made narrower and allowed once, then stands in its loop, and a call outside says why it asks", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  const write = (name: string, content: string) => ({
    name: tool,
    args: { path: join(app.sandbox, name), content },
  });
  model.script = [
    [propose({ tool, max: 3, fixed: { content: "hi" } }, { tool: "filesystem__list_directory", max: 2 })],
    [callTools(write("a.txt", "hi"), write("b.txt", "other"))],
    [callTools(write("c.txt", "hi"))],
    [say("Written.")],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("propose a plan");
  await page.getByRole("option", { name: /^Let the model propose/ }).click();
  await expect(page.getByRole("button", { name: "Plan first" })).toHaveAttribute("aria-pressed", "true");
  await chat.ask("Look");

  const card = page.getByRole("group", { name: "Allow these 5 calls in advance?" });
  await expect(card).toBeVisible();
  await expectAccessible(page);
  await card.getByRole("button", { name: "Remove step 2" }).click();
  const most = page.getByRole("spinbutton", { name: "At most, step 1" });
  await most.fill("2");
  await expect(page.getByRole("group", { name: "Allow these 2 calls in advance?" })).toBeVisible();
  await most.press("Control+Enter");

  const outside = page.getByRole("group", { name: /^Allow “write file” for/ });
  await expect(outside.getByText("outside the plan")).toBeVisible();
  await expect(outside).toContainText('which says "hi"');
  const line = chat.lastTurn.getByRole("group", { name: "Plan" });
  await expect(line).toContainText("1 of 2 calls used");
  await expectAccessible(page);
  await outside.focus();
  await page.keyboard.press("p");
  await chat.finished();
  await expect(line).toContainText("3 of 3 calls used");
  await expect(line.getByRole("button", { name: "Take it back" })).toHaveCount(0);
  await page.reload();
  await expect(line).toContainText("3 of 3 calls used");
});

test("it asks in Japanese, on a phone in the dark, and is taken back there", async ({ open, app, model }) => {
  await serversReady(app);
  const write = { name: tool, args: { path: join(app.sandbox, "d.txt"), content: "hi" } };
  model.script = [[propose({ tool, max: 3, fixed: { content: "other" } })], [callTools(write)]];
  const live = await apiOf(app).ask("見て", { model: "openai/test-model", options: { plan: true } });
  await live.closed;
  const { conversationId } = await apiOf(app).run(live.runId);
  const chat = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  const { page } = chat;
  await chat.goto(`/c/${conversationId}`);
  const card = page.getByRole("group", { name: "この 3 回の呼び出しをまとめて許可しますか？" });
  await expect(card).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await card.getByRole("button", { name: "計画を許可" }).click();
  await page.getByRole("button", { name: "取り消す" }).click();
  await expect(chat.lastTurn.getByText("取り消しました。次からは確認します。")).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.reload();
  await expect(chat.lastTurn.getByText("取り消しました。次からは確認します。")).toBeVisible();
});
