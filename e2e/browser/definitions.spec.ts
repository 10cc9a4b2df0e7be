import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { App, StartOptions } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const script = join(import.meta.dirname, "../../lib/mcp/testing/fixture-server.mjs");
const fixture = (way: string) => ({ command: "node", args: [script, way] });
const keep = '/tool coat__keep {"text": "milk"}';
const readLock = (app: App) =>
  JSON.parse(readFileSync(app.mcpConfig.replace(/\.json$/, ".lock.json"), "utf8")).servers.coat;
const acceptedText = "Keeps a note on this machine.";
const rowOf = (page: Page) => page.locator("#server-coat");

type Start = (options?: StartOptions) => Promise<App>;

/** The server changes `keep`, adds `gift` and takes `leave` away when `turn` is called. */
async function startCoat(start: Start): Promise<App> {
  const app = await start({ moreServers: { coat: fixture("turncoat") } });
  await serversReady(app);
  return app;
}

test("a tool that changes while the chat runs waits with what differs, survives a reload, and runs when it is accepted", async ({
  start,
  open,
}) => {
  const app = await startCoat(start);
  const chat = await open(app);
  const { page, card } = chat;
  await chat.askAnew(keep);
  await expect(chat.toolLine("coat keep, done")).toBeVisible();
  await chat.askAnew("/tool coat__turn {}");
  await chat.ask(keep);
  await expect(card.getByText("Its definition changed after you accepted it.")).toBeVisible();
  await page.reload();
  await expect(card.locator("ins", { hasText: "sends it away" })).toBeVisible();
  // What cannot be seen is written out, and what it says of others is pointed at.
  await expect(card.locator("ins", { hasText: "\\u200b" })).toBeVisible();
  const odd = card.getByRole("list", { name: "Worth a closer look" });
  await expect(odd).toContainText("invisible");
  await expect(odd).toContainText("filesystem__read_file");
  await expect(card.locator("ins", { hasText: '"sidenote"' })).toBeVisible();
  await expect(card.locator("ins", { hasText: '"openWorldHint": true' })).toBeVisible();
  await expect(card.getByRole("button", { name: "Allow once" })).toHaveCount(0);
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await card.getByRole("button", { name: "Accept and run" }).click();
  await chat.finished();
  await expect(chat.toolLine("coat keep, done")).toBeVisible();
  expect(readLock(app).keep.history).toMatchObject([{ definition: { description: acceptedText } }]);
  await chat.ask(keep);
  await chat.finished();
  await expect(card).toHaveCount(0);
});

test("a definition that changes once more while it is asked about says so, and a yes asks about the new one", async ({
  start,
  open,
}) => {
  const app = await startCoat(start);
  const chat = await open(app);
  const { page, card } = chat;
  await chat.askAnew("/tool coat__turn {}");
  const deliver = await holdDefinitions(page);
  await chat.ask(keep);
  // Nothing is accepted before it can be read.
  await expect(card.getByRole("button", { name: "Accept and run" })).toBeDisabled();
  await turnAgain(page, app);
  deliver();
  await expect(card.getByText("It changed again")).toBeVisible();
  await card.getByRole("button", { name: "Accept and run" }).click();
  await expect(card.locator("ins", { hasText: "Twice." })).toBeVisible();
  expect(readLock(app).keep.definition.description).toBe(acceptedText);
  await card.getByRole("button", { name: "Accept and run" }).click();
  await chat.finished();
  await expect(chat.toolLine("coat keep, done")).toBeVisible();
});

/** What the page asks of definitions is answered once the returned function is called. */
async function holdDefinitions(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/definitions*", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** As somebody else would: by hand, in the settings. */
async function turnAgain(page: Page, app: App): Promise<void> {
  const response = await page.request.post(`${app.baseUrl}/api/mcp/servers/coat/tools/turn/call`, {
    data: { args: { again: true } },
    headers: { origin: app.baseUrl },
  });
  expect(response.status()).toBe(200);
}

test("a question that outgrows the window when its differences come in is read from its top", async ({
  start,
  open,
}) => {
  const app = await startCoat(start);
  const chat = await open(app, { viewport: { width: 1280, height: 560 } });
  const { page, card } = chat;
  await chat.askAnew("/tool coat__turn {}");
  const deliver = await holdDefinitions(page);
  await chat.ask(keep);
  const heading = card.getByRole("heading");
  await expect(heading).toBeInViewport();
  const thread = page.locator("[data-scroll]");
  const heightOf = async (part: typeof card) => (await part.boundingBox())?.height ?? 0;
  expect(await heightOf(card)).toBeLessThan(await heightOf(thread));
  deliver();
  await expect(card.locator("ins", { hasText: "sends it away" })).toBeVisible();
  await expect
    .poll(() => heightOf(card).then(async (height) => height > (await heightOf(thread))))
    .toBe(true);
  await expect(heading).toBeInViewport();
});

test("a tool that was added asks the same way; kept blocked, it is denied now and gone afterwards", async ({
  start,
  open,
}) => {
  const app = await startCoat(start);
  const chat = await open(app);
  await chat.askAnew("/tool coat__turn {}");
  await chat.ask("/tool coat__gift {}");
  await expect(chat.card.getByText("after you accepted its tools")).toBeVisible();
  await expect(chat.card.getByText("Gives.")).toBeVisible();
  await chat.card.getByRole("textbox", { name: "Reason for the model" }).fill("no gifts");
  await chat.card.getByRole("button", { name: "Keep blocked" }).click();
  await chat.finished();
  await expect(chat.toolLine("coat gift, denied")).toBeVisible();
  await expect(chat.lastTurn.getByText("Denied by you: “no gifts”.")).toBeVisible();
  await expect.poll(() => readLock(app).gift).toEqual({ blocked: expect.stringMatching(/^[0-9a-f]{64}$/) });
  await chat.ask("/tool coat__gift {}");
  await chat.finished();
  await expect(chat.card).toHaveCount(0);
  await expect(chat.lastTurn.getByText(/There is no tool coat__gift/).first()).toBeVisible();
});

test("the settings show each difference, with accept, keep blocked and the history", async ({
  start,
  open,
}) => {
  const app = await startCoat(start);
  const chat = await open(app);
  const { page } = chat;
  await chat.askAnew("/tool coat__turn {}");
  await chat.goto("/settings/mcp");
  const row = rowOf(page);
  await expect(row.getByText("3 definitions differ from what you accepted.")).toBeVisible();
  const waiting = row.getByRole("region", { name: "Definitions to review" });
  const item = (name: string) => waiting.getByRole("listitem", { name, exact: true });
  await expect(item("keep").locator("ins", { hasText: "sends it away" })).toBeVisible();
  await expect(item("keep").getByRole("list", { name: "Worth a closer look" })).toContainText(
    "filesystem__read_file",
  );
  await expect(item("gift").getByText("new", { exact: true })).toBeVisible();
  await expect(item("leave").getByText("removed", { exact: true })).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: "dark" });
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  await item("keep").getByRole("button", { name: "Keep blocked: keep" }).click();
  await expect(item("keep").getByText("blocked", { exact: true })).toBeVisible();
  await page.reload();
  await expect(row.getByText("2 definitions differ from what you accepted.")).toBeVisible();
  await expect(item("keep").getByText("blocked", { exact: true })).toBeVisible();
  await waiting.getByRole("button", { name: "Accept all 2" }).click();
  await expect(row.getByText(/differ.* from what you accepted/)).toHaveCount(0);
  expect(Object.keys(readLock(app))).toEqual(["gift", "keep", "turn"]);
  await item("keep").getByRole("button", { name: "Accept: keep" }).click();
  await expect(waiting).toHaveCount(0);
  await row.getByText("Accepted definitions").click();
  const history = row.getByRole("list", { name: "Accepted definitions" });
  await expect(history.locator("ins", { hasText: "sends it away" })).toBeVisible();
});

test("the same in Japanese", async ({ start, open }) => {
  const app = await startCoat(start);
  const turned = await open(app);
  await turned.askAnew("/tool coat__turn {}");
  const { page } = await open(app, { locale: "ja-JP" });
  await page.goto(`${app.baseUrl}/settings/mcp`);
  await expect(rowOf(page).getByText("承認した内容と異なる定義が 3 件あります。")).toBeVisible();
  const waiting = rowOf(page).getByRole("region", { name: "承認待ちの定義" });
  await expect(waiting.getByText("追加", { exact: true })).toBeVisible();
  await expect(waiting.locator("ins", { hasText: "sends it away" })).toBeVisible();
  await expectAccessible(page);
});

test("what the tools cost is seen before sending, and a server's come by search only where that is chosen", async ({
  start,
  open,
}) => {
  const model = await startOpenAiServer([[say("Fine.")]], { contextWindow: 20_000 });
  const app = await start({
    env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
    mcpConfig: { mcpServers: { coat: fixture("turncoat"), many: fixture("many") } },
  });
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  const picker = page.getByRole("button", { name: /^2 servers, 64 tools/ });
  // In a conversation it shows the whole context, and opens it.
  const gauge = page
    .getByRole("meter", { name: "Context taken by tool descriptions" })
    .or(page.getByRole("button", { name: /^What fills the context: / }));
  const taken = async () => (await gauge.getAttribute("aria-valuetext")) ?? gauge.getAttribute("aria-label");
  await expect.poll(taken).toMatch(/^[\d.]+% of \d+K? tokens$/);
  await picker.click();
  await expect(page.getByRole("menuitemcheckbox", { name: /^many 61 tools · [\d.]+%$/ })).toBeVisible();
  await expect(
    page.getByText(/^Tool descriptions: about [\d,]+ tokens, [\d.]+% of the context of test-model$/),
  ).toBeVisible();
  await expect(page.getByText("Too many tools to list")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  const other = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await other.goto("/");
  await other.page.getByRole("button", { name: /^サーバー 2 台/ }).click();
  await expect(other.page.getByRole("menuitemcheckbox", { name: /^many ツール 61 個/ })).toBeVisible();
  await expectAccessible(other.page);
  await expectNoSidewaysScroll(other.page);
  const fresh = await taken();
  await chat.ask("One");
  await chat.finished();

  const inConversation = async () => {
    await expect.poll(taken).toMatch(/^What fills the context: [\d.]+% of 20K tokens$/);
    return taken();
  };
  const shown = await inConversation();
  await picker.click();
  await page.getByRole("menuitem", { name: "Load on demand" }).click();
  await page.getByRole("menuitemcheckbox", { name: "many", exact: true }).click();
  await expect.poll(taken).not.toBe(shown);
  await chat.ask("Two");
  await chat.finished();
  await picker.click();
  await expect(page.getByRole("menuitemcheckbox", { name: "many 61 tools · on demand" })).toBeVisible();
  await expect(page.getByText("Too many tools to list")).toHaveCount(0);
  await page.keyboard.press("Escape");
  const entry = () => JSON.parse(readFileSync(app.mcpConfig, "utf8")).mcpServers.many;
  expect(entry().deferred).toBeUndefined();

  // The conversation remembers it, for whatever browser it is opened in; others are as before.
  const elsewhere = await open(app);
  await elsewhere.goto(new URL(page.url()).pathname);
  await elsewhere.page.getByRole("button", { name: /^2 servers, 64 tools/ }).click();
  await expect(
    elsewhere.page.getByRole("menuitemcheckbox", { name: "many 61 tools · on demand" }),
  ).toBeVisible();
  await chat.goto("/");
  await expect.poll(taken).toBe(fresh);

  await chat.goto("/settings/mcp/many?tab=about");
  const toggle = page.getByRole("switch", { name: "Load the tools of many on demand" });
  await expect(toggle).not.toBeChecked();
  await expect(page.getByText("This is more than 5%.")).toBeVisible();
  await expectAccessible(page);
  await toggle.click();
  await expect(toggle).toBeChecked();
  await chat.askAnew("Three");
  const onDemand = await inConversation();
  await picker.click();
  await page.getByRole("menuitem", { name: "Load on demand" }).click();
  await page.getByRole("menuitemcheckbox", { name: "many", exact: true }).click();
  await expect.poll(taken).not.toBe(onDemand);
  await chat.ask("Four");
  await chat.finished();
  expect(entry().deferred).toBe(true);
  expect(model.requests.map(({ tools }) => tools)).toEqual([
    ["meguri__find_tools"],
    ["meguri__find_tools", "coat__keep", "coat__leave", "coat__turn"],
    ["meguri__find_tools", "coat__keep", "coat__leave", "coat__turn"],
    ["meguri__find_tools"],
  ]);
  await model.close();
});
