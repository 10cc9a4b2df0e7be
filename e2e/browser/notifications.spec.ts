import type { Page } from "@playwright/test";
import { callTools, fail, say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import {
  clickNotification,
  comeBack,
  leave,
  shownIn,
  standInNotifications,
} from "../support/stand-in-notifications";
import { expect, serversReady, test } from "../support/test";

/** The last one counts. */
const icon = (page: Page) => page.locator("link[rel=icon]").last();
const drawn = /^data:image\/svg/;
const vermilion = /%23b3361a/;

test("beside a long answer a notification is offered; who has left is told once, and never again", async ({
  chat,
  page,
  model,
}) => {
  const end = Promise.withResolvers<void>();
  model.script = [[say("Part one, "), until(end.promise), say("part two.")]];
  await standInNotifications(page);
  await page.clock.install();
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Take your time");
  await expect(chat.lastTurn.getByText("Part one,")).toBeVisible();
  const offer = page.getByRole("button", { name: "Notify me" });
  await expect(offer).toHaveCount(0);
  await page.clock.fastForward(30_000);
  await expectAccessible(page);
  await offer.click();
  await expect(page.getByText(/^You get a notification when you are needed/)).toBeVisible();
  await expect(offer).toHaveCount(0);

  await leave(page);
  end.resolve();
  await expect
    .poll(() => shownIn(page))
    .toEqual([
      {
        title: "Take your time",
        body: "The answer is finished.",
        ...{ lang: "en", silent: true, isClosed: false },
      },
    ]);
  await expect(page).toHaveTitle("(finished) Take your time · Meguri");
  await expect(icon(page)).toHaveAttribute("href", drawn);
  await expect(icon(page)).not.toHaveAttribute("href", vermilion);

  await comeBack(page);
  await expect(page).toHaveTitle("Take your time · Meguri");
  await expect(icon(page)).toHaveAttribute("href", /icon.*svg/);
  expect(await shownIn(page)).toMatchObject([{ isClosed: true }]);

  await page.reload();
  await leave(page);
  await chat.finished();
  expect(await shownIn(page)).toEqual([]);
});

test("a question of a run that began elsewhere is told without its arguments, and a click opens its card", async ({
  chat,
  page,
  app,
  model,
}) => {
  await serversReady(app);
  const secret = { path: `${app.sandbox}/hidden-name.md`, content: "hidden words" };
  model.script = [[callTools({ name: "filesystem__write_file", args: secret })]];
  await standInNotifications(page, { permission: "granted", isOn: true });
  await page.clock.install();
  await chat.goto("/");
  await leave(page);
  const live = await apiOf(app).ask("Keep this for me", { model: "openai/test-model" });
  await live.closed;
  // A minute of its looks at the list.
  for (let looks = 0; looks < 15; looks++) await page.clock.fastForward(4_000);
  await expect.poll(() => shownIn(page)).toHaveLength(1);
  const [shown] = await shownIn(page);
  expect(shown).toMatchObject({ title: "Keep this for me", body: "Allow “write file”?" });
  expect(JSON.stringify(shown)).not.toContain("hidden");
  await expect(page).toHaveTitle(/^\(1\) /);
  await expect(icon(page)).toHaveAttribute("href", vermilion);

  await clickNotification(page);
  await expect(chat.card).toBeInViewport();
  await expect(page).toHaveTitle("(waiting for you) Keep this for me · Meguri");
  await expect(icon(page)).toHaveAttribute("href", /icon.*svg/);
});

test("of two tabs one tells, and a look at one clears both; none tells while the conversation is looked at", async ({
  chat,
  page,
  model,
}) => {
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  model.script = ends.map(({ promise }, at) => [say("Begun. "), until(promise), say(`End ${at}.`)]);
  await standInNotifications(page, { permission: "granted", isOn: true });
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("First of two");
  const other = chat.sibling(await page.context().newPage());
  await other.goto("/");
  await expect(other.message).toBeVisible();
  await leave(other.page);
  await leave(page);
  ends[0]?.resolve();
  await expect(icon(other.page)).toHaveAttribute("href", drawn);
  await expect(icon(page)).toHaveAttribute("href", drawn);
  await expect(other.page).toHaveTitle(/^\(1\) /);
  await expect.poll(() => shownIn(page)).toHaveLength(1);
  expect(await shownIn(other.page)).toEqual([]);

  await comeBack(other.page);
  await expect(icon(page)).toHaveAttribute("href", /icon.*svg/);
  await expect(page).toHaveTitle("First of two · Meguri");
  await other.page.evaluate(() => standIn.look(false));
  await comeBack(page);
  // A tab waits only for a moment until another says that it is looked at; under load that may come later.
  expect(await shownIn(other.page)).toEqual([]);
  await other.page.close();
  await chat.ask("Second of two");
  const handled = () => page.evaluate(() => localStorage.getItem("meguri.handled"));
  const before = await handled();
  ends[1]?.resolve();
  await chat.finished();
  await expect.poll(handled).not.toBe(before);
  // Whoever deals with an end holds the lock until the tabs have been told.
  await page.evaluate(() => navigator.locks.request("meguri.ended", () => {}));
  expect(await shownIn(page)).toHaveLength(1);
});

test("the settings say in Japanese, on a phone in the dark, what the browser forbids; marks come without it", async ({
  open,
  app,
  model,
}) => {
  model.script = [[fail(400, "no")]];
  const chat = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  const { page } = chat;
  await standInNotifications(page, { answer: "denied" });
  await chat.goto("/settings/notifications");
  const show = page.getByRole("switch", { name: "通知を表示" });
  await show.click();
  await expect(page.getByRole("alert").filter({ hasText: "ブロックしています" })).toBeVisible();
  await expect(show).toBeDisabled();
  await page.getByRole("switch", { name: "回答の完了" }).click();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await leave(page);
  const live = await apiOf(app).ask("失敗する質問", { model: "openai/test-model" });
  await live.closed;
  await chat.goto(`/c/${(await apiOf(app).run(live.runId)).conversationId}`);
  await page.evaluate(() => standIn.look(false));
  await page.getByRole("textbox", { name: "メッセージ" }).fill("もう一度");
  await page.keyboard.press("Enter");
  await expect(page).toHaveTitle(/^\(失敗\) /);
  await expect(icon(page)).toHaveAttribute("href", vermilion);
  expect(await shownIn(page)).toEqual([]);
});
