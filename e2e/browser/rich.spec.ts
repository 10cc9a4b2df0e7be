import type { Locator, Page } from "@playwright/test";
import { richPayload } from "@/docs/corpus/rendering";
import { say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const framesOf = async (page: Page) => (await page.locator("html").getAttribute("data-programs")) ?? "";
const diagram = (page: Page) => page.getByRole("img", { name: "Diagram" });

test("formulas and diagrams are drawn, and reach nobody", async ({ chat, app, open, model }) => {
  const gate = Promise.withResolvers<void>();
  model.script = [[say(richPayload.slice(0, 60)), until(gate.promise), say(richPayload.slice(60))]];
  await chat.goto("/");
  const origin = await framesOf(chat.page);
  const rich = await open(app, { visits: [origin], refused: /./ });
  const { page } = rich;
  // Where they come from is what the recorder looks at.
  const fonts: string[] = [];
  page.on("request", (request) => {
    if (/KaTeX_.*\.woff2/.test(request.url())) fonts.push(request.url());
  });
  await rich.goto("/");
  await rich.chooseModel("test-model");
  await rich.ask("How many are duplicates by chance?");
  const source = page.locator("[data-math-scroll] > code");
  await expect(source).toContainText("P(X");
  const before = (await page.locator("[data-frame]").first().boundingBox())?.height ?? 0;
  gate.resolve();
  await rich.finished();
  await expect(page.locator("[data-math-scroll] math")).toHaveCount(1);
  const after = (await page.locator("[data-frame]").first().boundingBox())?.height ?? 0;
  expect(after).toBeGreaterThanOrEqual(before);
  await expect.poll(() => fonts.length).toBeGreaterThan(0);
  await expect(page.getByText("costs $5 and $10")).toBeVisible();
  await expect(diagram(page).first()).toBeVisible();
  expect(
    await diagram(page)
      .first()
      .evaluate((image) => (image as HTMLImageElement).naturalWidth),
  ).toBeGreaterThan(100);
  expect(decodeURIComponent((await diagram(page).first().getAttribute("src")) ?? "")).not.toContain(
    "drop-shadow(",
  );
  await expect(page.getByText("This diagram cannot be drawn.").last()).toBeVisible();
  await page.getByRole("button", { name: "Source", exact: true }).first().click();
  await expect(page.locator("pre").filter({ hasText: "Retry queue" })).toBeVisible();
  await page.getByRole("button", { name: "Source", exact: true }).first().click();
  await page.getByRole("button", { name: "Full size" }).first().click();
  await expect(page.getByRole("dialog").getByRole("img")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Full size" }).first()).toBeFocused();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(diagram(page).first()).toBeVisible();
    await expectAccessible(page);
  }
  await page.setViewportSize({ width: 360, height: 800 });
  await expectNoSidewaysScroll(page);
});

test("a diagram that never ends is taken away, and the page goes on meanwhile", async ({
  chat,
  app,
  open,
  model,
}) => {
  model.script = [[say("```mermaid\nflowchart LR\n  A --> B\n```\n\nAfter it.")]];
  await chat.goto("/");
  const origin = await framesOf(chat.page);
  const stuck = await open(app, { visits: [origin] });
  const { page } = stuck;
  await page.route(`${origin}/diagrams.mjs`, (route) =>
    route.fulfill({
      contentType: "text/javascript",
      headers: { "Access-Control-Allow-Origin": "*" },
      body: `addEventListener("message", () => { for (;;); }); parent.postMessage({ meguri: "diagram", ready: true }, "*");`,
    }),
  );
  await stuck.goto("/");
  await stuck.chooseModel("test-model");
  await stuck.ask("Draw it");
  await expect(page.locator("iframe[src$='/diagrams']")).toBeAttached();
  await stuck.message.fill("typed while it draws");
  await expect(stuck.message).toHaveValue("typed while it draws");
  await expect(page.getByText("longer than 5 seconds")).toBeVisible();
  await expect(page.locator("iframe[src$='/diagrams']")).toHaveCount(0);
  await expect(page.locator("pre")).toContainText("A --> B");
});

test("where what draws a diagram cannot be fetched, its source stays and says so; where it cannot be enlarged, too", async ({
  app,
  open,
  model,
}) => {
  model.script = [[say("```js\nconst a = 1;\n```")], [say("```mermaid\nflowchart LR\n  A --> B\n```")]];
  const probe = await open(app);
  await probe.goto("/");
  const chat = await open(app, { visits: [await framesOf(probe.page)] });
  const { page } = chat;
  const chunks = "**/_next/static/chunks/*.js";
  // What colours code is fetched when there is some, and is not what this is about.
  const coloured = async () => {
    await expect.poll(() => page.workers().length).toBeGreaterThan(0);
    await page.workers()[0]?.evaluate(() => 0);
  };
  await chat.chooseModel("test-model");
  await chat.ask("Write code");
  await chat.finished();
  await coloured();
  await page.route(chunks, (route) => route.abort());
  await chat.ask("Draw it");
  await expect(chat.lastTurn.getByText("What draws diagrams could not be loaded.")).toBeVisible();
  await expect(chat.lastTurn.locator("pre")).toContainText("A --> B");
  await page.unroute(chunks);
  await page.reload();
  await expect(chat.lastTurn.getByRole("img", { name: "Diagram" })).toBeVisible();
  await coloured();
  await page.route(chunks, (route) => route.abort());
  await chat.lastTurn.getByRole("button", { name: "Full size" }).click();
  await expect(page.getByText("A part of this page could not be loaded.")).toBeVisible();
});

test("on a phone a pasted text leaves its pencil free, names in a table are whole, and Send is at the end", async ({
  open,
  app,
  model,
}) => {
  const word = "MALFORMED_FUNCTION_CALL";
  model.script = [
    [say(`| word | what it means, at length, for whoever wants to know |\n|---|---|\n| \`${word}\` | no |`)],
  ];
  const api = apiOf(app);
  const pasted = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
  const asked = await api.ask(`Look at this\n\n${pasted}`, { model: "openai/test-model" });
  await asked.closed;
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const chat = await open(app, phone);
  await chat.goto(`/c/${(await api.run(asked.runId)).conversationId}`);
  const bottom = async (of: Locator) => {
    const box = await of.boundingBox();
    return (box?.y ?? 0) + (box?.height ?? 0);
  };
  const pencil = chat.lastTurn.getByRole("button", { name: "Edit question" });
  expect((await pencil.locator("svg").boundingBox())?.y).toBeGreaterThanOrEqual(
    (await bottom(chat.lastTurn.locator("[data-pasted]"))) - 1,
  );
  const name = chat.lastTurn.getByRole("cell").getByText(word);
  expect(await name.evaluate((element) => element.getClientRects().length)).toBe(1);
  await expectNoSidewaysScroll(chat.page);
  const gauge = { name: /^What fills the context/, includeHidden: true };
  await expect(chat.page.getByRole("button", gauge)).toBeAttached();
  const send = await chat.page.getByRole("button", { name: "Send" }).boundingBox();
  expect((send?.x ?? 0) + (send?.width ?? 0)).toBeGreaterThan(390 - 16 - 12);
});
