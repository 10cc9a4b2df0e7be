import type { Page } from "@playwright/test";
import type { ChatPage } from "../support/chat-page";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

/** A page begins to watch for its server 5 s after it was opened. */
const watchTimeoutMs = 15_000;
const lost = "Meguri can’t be reached";

test("an open page keeps what it has while no server answers, and goes on by itself when one does", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig: { mcpServers: {} } });
  const chat = await open(app);
  const { page } = chat;
  const paths: string[] = [];
  for (const text of ["count to 3", "count to 4", "count to 5"]) paths.push(await chat.askAnew(text));
  const [first = "", second = "", third = ""] = paths;
  await chat.goto(first);
  await chat.finished();
  await chat.conversation("count to 4").click();
  await expect(page).toHaveURL(new RegExp(`${second}$`));
  await chat.finished();
  await expect.poll(() => isWatched(page), { timeout: watchTimeoutMs }).toBe(true);
  const notReloaded = await markPage(chat);

  await app.kill9();
  await chat.conversation("count to 3").click();
  const notice = page.getByText(`${lost}.`);
  await expect(notice).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`${first}$`));
  await expect(chat.lastTurn).toContainText("count to 3");
  await chat.message.fill("A draft without a server");
  await chat.message.press("Enter");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("The server can’t be reached");
  await expect(chat.message).toHaveValue("A draft without a server");
  await expectAccessible(page);

  await chat.conversation("count to 5").click();
  await expect(page).toHaveURL(new RegExp(`${third}$`));
  await expect(page.getByRole("main").getByRole("button", { name: "Try again" })).toBeVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await app.restart();
  await expect(chat.lastTurn).toContainText("count to 5");
  await expect(notice).toHaveCount(0);
  await chat.conversation("count to 3").click();
  await expect(chat.message).toHaveValue("A draft without a server");
  await expect(page.getByRole("main").getByRole("alert")).toHaveCount(0);
  await notReloaded();
});

test("a page that is opened while no server answers says so and opens by itself; nothing is kept on the disk", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig: { mcpServers: {} } });
  const chat = await open(app, { serviceWorkers: "allow" });
  const { page } = chat;
  const path = await chat.askAnew("count to 3");
  await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true), null, {
    timeout: watchTimeoutMs,
  });
  const other = await page.context().newPage();

  await app.kill9();
  await other.goto(app.baseUrl + path);
  await expect(other.getByRole("heading", { name: lost })).toBeVisible();
  await expect(other.getByRole("listitem")).toHaveText(["count to 3"]);
  await expectAccessible(other);
  await other.getByRole("button", { name: "Try again" }).click();
  await expect(other.getByRole("status")).toHaveText("Still no answer");
  await page.context().addCookies([{ name: "locale", value: "ja", url: app.baseUrl }]);
  await other.goto(`${app.baseUrl}/settings/models`);
  await expect(other.getByRole("heading", { name: "Meguri に接続できません" })).toBeVisible();
  // Not for the worker: what strangers have a link to, and what programs ask for.
  for (const foreign of ["/share/abc", "/api/health"]) {
    const third = await page.context().newPage();
    await expect(third.goto(app.baseUrl + foreign)).rejects.toThrow("ERR_CONNECTION_REFUSED");
  }
  expect(await other.evaluate(() => caches.keys())).toEqual([]);

  await app.restart();
  await expect(other.getByRole("heading", { name: "モデル", level: 1 })).toBeVisible();
  // What the server refuses is its own answer.
  await page.context().clearCookies();
  expect((await other.goto(app.baseUrl + path))?.status()).toBe(401);
  await expect(other.getByRole("heading", { name: "Open the printed link" })).toBeVisible();
});

/** Whether the page says to others what it has loaded, which it does as long as it watches. */
const isWatched = (page: Page) =>
  page.evaluate(() => {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const channel = new BroadcastChannel("meguri.loaded");
    channel.onmessage = ({ data }) => resolve(Array.isArray(data.titles));
    channel.postMessage({ ask: true });
    setTimeout(resolve, 300, false);
    return promise.finally(() => channel.close());
  });

/** Returns what fails if the page was loaded anew since. */
async function markPage({ page }: ChatPage): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    document.documentElement.dataset.marked = "";
  });
  return () => expect(page.locator("html[data-marked]")).toHaveCount(1);
}
