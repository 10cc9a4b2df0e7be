import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import type { McpApp } from "@/lib/protocol/mcp-offers";
import { apiOf } from "../support/api";
import { type App, startApp } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { serverScript } from "../support/default-servers";
import { rawRequest } from "../support/raw-request";
import { expect, serversReady, test } from "../support/test";

// One application for the file: its tests make their own conversations.
test.describe.configure({ mode: "default" });

const home = mkdtempSync(join(tmpdir(), "meguri-apps-"));
const journal = join(home, "journal");
let app: App;
let origin: string;
/** Whom nothing of an app ever reaches: it counts who comes. */
const reached: string[] = [];
const stranger = createServer(({ url = "" }, response) => {
  reached.push(url);
  response.end("got you");
});
let evil: string;

test.beforeAll(async () => {
  // A process may run some of this file again.
  mkdirSync(home, { recursive: true });
  await once(stranger.listen(0, "127.0.0.1"), "listening");
  evil = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const script = join(import.meta.dirname, "../support/apps-server.mjs");
  const shipped = (name: string) => ({ command: "node", args: [serverScript(name), "--stdio"] });
  app = await startApp({
    moreServers: {
      "budget-allocator": shipped("budget-allocator"),
      map: shipped("map"),
      apps: { command: "node", args: [script, journal, evil] },
    },
  });
  await serversReady(app);
  origin = new URL((await appOf("ui://apps/friendly")).page).origin;
});

test.afterAll(async () => {
  await app.dispose();
  stranger.close();
  rmSync(home, { recursive: true, force: true });
});

const appOf = (uri: string) => apiOf(app).post<McpApp>("/api/mcp/apps/open", { server: "apps", uri });
const lines = () =>
  readFileSync(journal, "utf8")
    .split("\n")
    .flatMap((line) => (line ? (JSON.parse(line) as { call?: string; capabilities?: object }) : []));
const calls = () => lines().flatMap(({ call }) => call ?? []);

const region = (page: Page, server: string) => page.getByRole("region", { name: `App from ${server}` });
/** An app runs after a click alone: of those that wait, the newest is shown. */
const show = (page: Page, server: string) =>
  page
    .getByRole("button", { name: `Show the app from ${server}` })
    .last()
    .click();
/** What an app draws, two frames deep. */
const inside = (page: Page, server: string): FrameLocator =>
  region(page, server).frameLocator("iframe").frameLocator("iframe");

test("budget-allocator works offline, and again from history", async ({ open }) => {
  const chat = await open(app, { visits: [origin], colorScheme: "dark" });
  await chat.goto("/");
  await chat.ask("/tool budget-allocator__get-budget-data {}");
  await chat.card.getByRole("button", { name: /^Allow once/ }).click();
  await chat.finished();
  await show(chat.page, "budget-allocator");
  const budget = inside(chat.page, "budget-allocator");
  await expect(budget.getByText("Allocated: $100,000 / $100,000")).toBeVisible();
  await budget.getByRole("slider").first().press("ArrowRight");
  await expect(budget.getByText("Allocated: $100,000 / $100,000")).toHaveCount(0);
  await expectAccessible(chat.page);
  await chat.page.reload();
  await show(chat.page, "budget-allocator");
  await expect(inside(chat.page, "budget-allocator").getByText("Allocated: $100,000")).toBeVisible();
});

test("map asks in place of its frame before it may load anything, and says when nothing answers", async ({
  open,
}) => {
  const cdn = ["https://cesium.com", "https://tile.openstreetmap.org"];
  const chat = await open(app, { visits: [origin, ...cdn], refused: /cesium\.com/ });
  const asked: string[] = [];
  await chat.page.route(
    ({ hostname }) => /(cesium\.com|openstreetmap\.org)$/.test(hostname),
    (route) => {
      asked.push(route.request().url());
      return route.abort();
    },
  );
  await chat.goto("/");
  await chat.ask("/tool map__show-map {}");
  await chat.card.getByRole("button", { name: /^Allow once/ }).click();
  await chat.finished();
  const map = region(chat.page, "map");
  await show(chat.page, "map");
  await expect(
    map.getByText(/^Allow the app to load from \*\.openstreetmap\.org, cesium\.com/),
  ).toBeVisible();
  await expect(map.locator("iframe")).toBeHidden();
  await expect(map.locator(".state-ring")).toHaveCount(0);
  await expectAccessible(chat.page);
  await map.getByRole("button", { name: "Show without it" }).click();
  await expect(inside(chat.page, "map").getByText(/Failed to load CesiumJS/)).toBeVisible();
  expect(asked).toEqual([]);
  await map.getByRole("button", { name: "Allow", exact: true }).click();
  await expect(map.getByText(/^Couldn’t reach cesium\.com\..*map tiles/)).toBeVisible();
  expect(asked.length).toBeGreaterThan(0);
  await expectAccessible(chat.page);
  // The yes is for these hosts, and is remembered.
  await chat.page.reload();
  await show(chat.page, "map");
  await expect(map.getByText(/^Couldn’t reach cesium\.com/)).toBeVisible();
});

test("an app gets the call, the result with what is beside it, theme, language and a bounded size", async ({
  open,
}) => {
  const chat = await open(app, { visits: [origin], colorScheme: "dark" });
  const bridges: string[] = [];
  chat.page.on("response", async (response) => {
    if (!response.url().endsWith(".js")) return;
    if ((await response.text().catch(() => "")).includes("sandbox-proxy-ready")) bridges.push(response.url());
  });
  await chat.askAnew("Hello");
  expect(bridges).toEqual([]);
  await chat.ask('/tool apps__show {"word":"hello"}');
  await chat.finished();
  expect(bridges).toEqual([]);
  await show(chat.page, "apps");
  await expect.poll(() => bridges.length).toBe(1);
  const inner = inside(chat.page, "apps");
  await expect(inner.getByText('input: {"word":"hello"}')).toBeVisible();
  await expect(inner.getByText(/^result: .*"word":"hello".*only for the app/)).toBeVisible();
  await expect(inner.getByText("quirks: CSS1Compat")).toBeVisible();
  await expect(inner.getByText('"theme":"dark","locale":"en"')).toBeVisible();
  await chat.page.emulateMedia({ colorScheme: "light" });
  await expect(inner.getByText('"theme":"light"')).toBeVisible();
  await inner.getByRole("button", { name: "Grow" }).click();
  const frame = region(chat.page, "apps").locator("iframe");
  await expect.poll(async () => (await frame.boundingBox())?.height).toBe(640);
  // By the keyboard: the page still scrolls after the app that grew, and a button may leave between press and release.
  await inner.getByRole("button", { name: "Large" }).press("Enter");
  await expect(inner.getByText('"displayMode":"fullscreen"')).toBeVisible();
  await expect.poll(async () => (await frame.boundingBox())?.height).toBeGreaterThan(700);
  await expect(inner.getByText('input: {"word":"hello"}')).toBeVisible();
  await region(chat.page, "apps").getByRole("button", { name: "Leave full screen" }).click();
  await expect(inner.getByText('"displayMode":"inline"')).toBeVisible();
});

test("a call of an app meets the same approval as one of the model, and tools for apps stay from the model", async ({
  open,
}) => {
  const chat = await open(app, { visits: [origin] });
  await chat.goto("/");
  await chat.ask("/tool apps__refresh {}");
  await chat.finished();
  await expect(chat.lastTurn.getByText(/There is no tool apps__refresh/).first()).toBeVisible();
  await chat.ask("/tool apps__show {}");
  await chat.finished();
  await show(chat.page, "apps");
  const inner = inside(chat.page, "apps");
  const answer = (text: string | RegExp) => expect(inner.getByText(text)).toBeVisible();
  const press = (name: string) => inner.getByRole("button", { name, exact: true }).click();
  await press("Refresh");
  await answer(/^answer: .*refresh ran/);
  await press("Think");
  await answer(/^answer: .*Not run: There is no such tool for apps/);
  await press("Read");
  await answer(/^answer: .*a note of the server/);

  const card = chat.page.getByRole("group", { name: "Allow the app from apps to call this tool?" });
  await press("Order");
  await expect(card.getByText("apps · order")).toBeVisible();
  await expect(card.getByText('"word": "tea"')).toBeVisible();
  await expectAccessible(chat.page);
  await card.getByRole("button", { name: "Deny" }).click();
  await answer(/^answer: .*declined/);
  expect(calls()).not.toContain("order");
  await press("Order");
  await card.getByRole("button", { name: /^Always/ }).click();
  await answer(/^answer: .*order ran/);
  await press("Order");
  await expect.poll(() => calls().filter((name) => name === "order").length).toBe(2);
  await expect(card).toHaveCount(0);
  const { items } = await apiOf(app).get<{ items: { text: string }[] }>("/api/mcp/servers/apps/logs");
  expect(items.map(({ text }) => text)).toContain("An app called order: ok (allowed by a person).");
  await apiOf(app).patch("/api/settings", { rules: [{ pattern: "mcp:apps:*", effect: "deny" }] });
  await press("Refresh");
  await answer(/^answer: .*forbids this tool/);
  await apiOf(app).patch("/api/settings", { rules: [] });
});

test("a link is opened by the person alone, and text goes into the message field and no further", async ({
  open,
}) => {
  const link = "https://example.invalid";
  const chat = await open(app, { visits: [origin, link] });
  await chat.page.context().route(`${link}/**`, (route) => route.fulfill({ body: "there" }));
  await chat.goto("/");
  await chat.ask("/tool apps__show {}");
  await chat.finished();
  await show(chat.page, "apps");
  const inner = inside(chat.page, "apps");
  const card = chat.page.getByRole("group", { name: /^Open this link from/ });
  await inner.getByRole("button", { name: "Script link" }).click();
  await expect(inner.getByText('answer: {"isError":true}')).toBeVisible();
  await inner.getByRole("button", { name: "Link", exact: true }).click();
  await expect(card.getByText(`${link}/a?b=1`)).toBeVisible();
  const tab = chat.page.context().waitForEvent("page");
  await card.getByRole("button", { name: "Open in a new tab" }).click();
  const opened = await tab;
  await opened.waitForURL(`${link}/a?b=1`);
  expect(await opened.evaluate(() => window.opener)).toBeNull();
  await opened.close();
  await chat.message.fill("mine");
  await inner.getByRole("button", { name: "Say" }).click();
  await expect(chat.message).toHaveValue("mine\nfrom the app");
  await expect(chat.turns).toHaveCount(1);
});

test("a hostile app gets nowhere, and the page says what it tried", async ({ open }) => {
  const chat = await open(app, {
    visits: [origin, evil, "https://declared.invalid"],
    refused: /Content Security Policy|securitypolicyviolation/,
  });
  await chat.goto("/");
  await chat.ask("/tool apps__show {}");
  await chat.finished();
  await show(chat.page, "apps");
  await expect(inside(chat.page, "apps").getByText(/^result: /)).toBeVisible();
  await chat.ask("/tool apps__attack {}");
  await chat.finished();
  await show(chat.page, "apps");
  const frame = chat.lastTurn.getByRole("region", { name: "App from apps" });
  await frame.getByRole("button", { name: "Show without it" }).click();
  const inner = frame.frameLocator("iframe").frameLocator("iframe");
  await expect(inner.getByText("the end: reached")).toBeVisible();
  const tried = await inner.getByRole("listitem").allInnerTexts();
  expect(tried.filter((line) => !line.endsWith(": refused"))).toEqual(["the end: reached"]);
  expect(tried).toHaveLength(14);
  await expect(frame.getByText(/wants to load from declared\.invalid\./)).toBeVisible();
  await expect(frame.getByText(/^Blocked.*127\.0\.0\.1:3000, localhost, 127\.0\.0\.1:/)).toBeVisible();
  await inner.getByRole("button", { name: "Pop" }).click();
  await expect(inner.getByText("popup after a click: refused")).toBeVisible();
  await inner.getByRole("button", { name: "Jump" }).click();
  await expect(inner.getByText("top navigation: refused")).toBeVisible();
  expect(chat.page.context().pages()).toHaveLength(1);
  expect(new URL(chat.page.url()).origin).toBe(app.baseUrl);
  for (const way of ["Leave", "Send"]) {
    await inner.getByRole("button", { name: way }).click();
    await expect(frame.getByText("The app tried to leave its frame and was closed.")).toBeVisible();
    await frame.getByRole("button", { name: "Try again" }).click();
    await expect(inner.getByText("the end: reached")).toBeVisible();
  }
  expect(reached).toEqual([]);
  expect(calls()).not.toContain("think");
  expect(await chat.page.context().cookies()).toHaveLength(1);
});

test("the page of apps answers to our signature and our names only, and has no session", async () => {
  const { page } = await appOf("ui://apps/hostile");
  const at = new URL(page);
  const send = (path: string, headers: Record<string, string>, method = "GET") =>
    rawRequest({ baseUrl: origin }, { method, path, headers });
  const good = await send(at.pathname + at.search, { host: at.host });
  expect(good.status).toBe(200);
  expect(good.headers["content-security-policy"]).toContain(`frame-ancestors ${app.baseUrl} `);
  expect(good.headers["content-security-policy"]).not.toContain("declared.invalid");
  expect((await send(at.pathname + at.search, { host: "evil.example" })).status).toBe(403);
  expect((await send(`${at.pathname}${at.search}x`, { host: at.host })).status).toBe(404);
  expect((await send("/api/conversations", { host: at.host })).status).toBe(404);
  expect((await send(at.pathname + at.search, { host: at.host }, "POST")).status).toBe(405);
  expect(lines()[0]?.capabilities).toMatchObject({
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
  });
});

test("no app runs and nothing of it is fetched before a click, and a closed one waits for the next", async ({
  open,
}) => {
  const chat = await open(app, { visits: [origin] });
  const fetched: string[] = [];
  chat.page.on("request", (request) => {
    if (request.url().includes("/apps/") || request.url().startsWith(origin)) fetched.push(request.url());
  });
  await chat.goto("/");
  await chat.ask("/tool apps__show {}");
  await chat.finished();
  const button = chat.page.getByRole("button", { name: "Show the app from apps" });
  await expect(button).toBeVisible();
  await expect(chat.page.getByText(/could send data out/)).toBeVisible();
  expect(fetched).toEqual([]);
  await expect(chat.page.locator("iframe")).toHaveCount(0);
  await button.click();
  await expect(inside(chat.page, "apps").getByText(/^result: /)).toBeVisible();
  await region(chat.page, "apps").getByRole("button", { name: "Close app" }).click();
  await expect(button).toBeVisible();
  await expect(chat.page.locator("iframe")).toHaveCount(0);
});

test("a shared conversation shows the result without the app, and nothing that is for the app alone", async ({
  open,
}) => {
  const chat = await open(app, { visits: [origin] });
  await chat.goto("/");
  await chat.ask("/tool apps__show {}");
  await chat.finished();
  await show(chat.page, "apps");
  await expect(inside(chat.page, "apps").getByText(/only for the app/)).toBeVisible();
  const id = new URL(chat.page.url()).pathname.split("/").at(-1);
  const { url } = await apiOf(app).post<{ url: string }>(`/api/conversations/${id}/shares`, { accept: true });
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  await expect(stranger.page.getByText("show ran").first()).toBeVisible();
  await expect(stranger.page.locator("iframe")).toHaveCount(0);
  expect(await stranger.page.content()).not.toContain("only for the app");
});

test("on a phone, in the dark and in Japanese an app fits, and asks in Japanese", async ({ open }) => {
  const { page } = await open(app, {
    visits: [origin],
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await page.goto(`${app.baseUrl}/`);
  const message = page.getByRole("textbox", { name: "メッセージ" });
  await message.fill("/tool apps__show {}");
  await message.press("Enter");
  await page.getByRole("button", { name: "apps のアプリを表示" }).click();
  const frame = page.getByRole("region", { name: "apps のアプリ" });
  const inner = frame.frameLocator("iframe").frameLocator("iframe");
  await expect(inner.getByText('"locale":"ja"')).toBeVisible();
  await inner.getByRole("button", { name: "Order" }).click();
  const card = page.getByRole("group", { name: "apps のアプリによるこのツールの呼び出しを許可しますか？" });
  await expect(card).toBeVisible();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await frame.getByRole("button", { name: "全画面", exact: true }).click();
  await expect(card).toBeVisible();
  await expectNoSidewaysScroll(page);
  await page.keyboard.press("Escape");
  await expect(frame.getByRole("button", { name: "全画面", exact: true })).toBeVisible();
});
