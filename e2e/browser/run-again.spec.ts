import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll, tabTo } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const list = (path: string) => callTools({ name: "filesystem__list_directory", args: { path } });

test("a failed call runs again, the answer goes on from it, and the old one stays within reach", async ({
  chat,
  page,
  model,
  app,
}) => {
  await serversReady(app);
  const late = join(app.sandbox, "late");
  model.script = [
    [say("First the folder."), list(app.sandbox)],
    [say("Then the other."), list(late)],
    [say("It is not there.")],
    [say("Now it is there.")],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look twice");
  await chat.finished();
  const old = await chat.thread();
  await chat.toolLine("filesystem list_directory, failed").click();
  const again = chat.lastTurn.getByRole("button", { name: "Run again" });
  await expectAccessible(page);
  mkdirSync(late);
  await tabTo(again);
  await page.keyboard.press("Enter");
  await expect(chat.lastTurn.getByText("Now it is there.")).toBeVisible();
  await chat.finished();
  await expect(chat.lastTurn.getByText("It is not there.")).toHaveCount(0);
  await expect(chat.lastTurn.getByText("First the folder.")).toBeVisible();
  await expect(chat.toolLine("filesystem list_directory, done")).toHaveCount(2);
  await expect(chat.loop(3)).toBeVisible();
  await expect(chat.loop(4)).toHaveCount(0);
  await expect(chat.lastTurn.getByText("2 / 2")).toBeVisible();
  await chat.toolLine("filesystem list_directory, done").last().click();
  const fresh = await chat.thread();
  await page.reload();
  await chat.finished();
  await expect.poll(() => chat.thread()).toEqual(fresh);

  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("It is not there.")).toBeVisible();
  const words = async () => (await chat.thread()).join().replace("1 / 2", "").trim();
  await expect.poll(words).toBe(old.join().trim());
  await chat.lastTurn.getByRole("button", { name: "Next version" }).click();
  await expect(chat.lastTurn.getByText("Now it is there.")).toBeVisible();
});

test("it asks where the rules do, also in another tab and after a reload, and goes on once it is allowed", async ({
  chat,
  page,
  model,
  app,
}) => {
  await serversReady(app);
  const path = join(app.sandbox, "asked-again");
  model.script = [
    [callTools({ name: "filesystem__create_directory", args: { path } })],
    [say("Then not.")],
    [say("It is made.")],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Make it");
  await chat.card.getByRole("button", { name: "Deny" }).click();
  await chat.finished();
  const other = chat.sibling(await page.context().newPage());
  await other.page.goto(page.url());
  await other.finished();
  await chat.toolLine("filesystem create_directory, denied").click();
  await chat.lastTurn.getByRole("button", { name: "Run again" }).click();
  await expect(chat.card).toBeVisible();
  await expect(chat.lastTurn.getByText("Then not.")).toHaveCount(0);
  await expect(other.card).toBeVisible();
  await expect(other.lastTurn.getByText("Then not.")).toHaveCount(0);
  await page.reload();
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await expect(chat.lastTurn.getByText("It is made.")).toBeVisible();
  await chat.finished();
  for (const tab of [chat, other]) {
    await expect(tab.toolLine("filesystem create_directory, done")).toHaveCount(1);
    await expect(tab.lastTurn.getByText("2 / 2")).toBeVisible();
  }
  const { status } = (
    await apiOf(app).conversation(new URL(page.url()).pathname.split("/").at(-1) ?? "")
  ).runs.at(-1) ?? { status: "none" };
  expect(status).toBe("completed");
});

test("a Japanese phone in the dark has it too, and a shared page has not", async ({ open, model, app }) => {
  await serversReady(app);
  model.script = [[list(join(app.sandbox, "never"))], [say("ありません。")], [say("やはりありません。")]];
  const { page } = await open(app, {
    ...{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
    ...{ locale: "ja-JP", colorScheme: "dark" as const },
  });
  await page.goto(app.baseUrl);
  await page.getByRole("button", { name: /^モデル：/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await page.getByRole("textbox", { name: "メッセージ" }).fill("見てください");
  await page.getByRole("button", { name: "送信" }).click();
  await expect(page.getByRole("button", { name: "再生成" })).toBeEnabled();
  await page.getByRole("button", { name: /^filesystem list_directory ?, 失敗/ }).click();
  const again = page.getByRole("button", { name: "再実行" });
  await expect(again).toBeEnabled();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await again.click();
  await expect(page.getByText("やはりありません。")).toBeVisible();
  await expect(page.getByText("2 / 2")).toBeVisible();

  const api = apiOf(app);
  const id = new URL(page.url()).pathname.split("/").at(-1);
  const { url } = await api.post<{ url: string }>(`/api/conversations/${id}/shares`, { accept: true });
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  await stranger.page.getByText("list_directory").first().click();
  await expect(stranger.page.getByText("やはりありません。")).toBeVisible();
  await expect(stranger.page.getByRole("button", { name: "Copy as JSON-RPC" })).toBeVisible();
  await expect(stranger.page.getByRole("button", { name: "Run again" })).toHaveCount(0);
});
