import type { Page } from "@playwright/test";
import { say, until } from "@/lib/providers/testing/steps";
import { expect, test } from "../support/test";

test("what is pressed and typed before the page listens is not lost", async ({ chat, page }) => {
  const listen = await holdScripts(page);
  await page.goto(`${chat.app.baseUrl}/`, { waitUntil: "commit" });
  const menu = page.getByRole("button", { name: /^Model:/ });
  await expect(menu).toHaveAttribute("aria-haspopup", "true");
  await chat.message.pressSequentially("Typed early");
  await menu.click();
  listen();
  await expect(page.getByRole("menuitemcheckbox").first()).toBeVisible();
  await expect(chat.message).toHaveValue("Typed early");
  await page.keyboard.press("Escape");
  await expect(menu).toBeFocused();
  // Pressed once, and not at each view from then on.
  await page.getByRole("link", { name: "Meguri", exact: true }).click();
  await expect(page.getByRole("menu")).toHaveCount(0);
});

test("what is pressed beside the page before it listens is not lost either", async ({ chat, page }) => {
  const listen = await holdScripts(page);
  await page.goto(`${chat.app.baseUrl}/`, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Hide sidebar" }).click();
  listen();
  await expect(page.getByRole("complementary")).toHaveCount(0);
  await page.getByRole("button", { name: "Show sidebar" }).click();
  await expect(page.getByRole("complementary").getByRole("navigation")).toBeVisible();
});

test("shortcuts that are pressed before the page listens are not lost either", async ({ chat, page }) => {
  await chat.askAnew("count to 2");
  const find = page.getByRole("textbox", { name: "Find in this conversation" });
  for (const [keys, opened] of [
    ["Control+Shift+F", find],
    ["Control+k", page.getByRole("dialog")],
  ] as const) {
    const listen = await holdScripts(page);
    await page.reload({ waitUntil: "commit" });
    await expect(chat.turns.last()).toBeVisible();
    await page.keyboard.press(keys);
    listen();
    await expect(opened).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(opened).toHaveCount(0);
  }
});

test("a menu and a dialog open by keyboard though their part of the page comes late", async ({
  chat,
  page,
}) => {
  await chat.askAnew("count to 2");
  await page.reload();
  await chat.finished();
  const listen = await holdScripts(page);
  const more = page.getByRole("main").getByRole("button", { name: "More", exact: true });
  await more.focus();
  await page.keyboard.press("Enter");
  listen();
  await expect(page.getByRole("menuitem", { name: "Rename" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(more).toBeFocused();
  await page.getByRole("button", { name: "Share", exact: true }).press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("a conversation that is opened by its address never shows its marks, and nothing in it moves", async ({
  chat,
  page,
  model,
}) => {
  const part =
    "## A heading\n\nSome **bold** words and `code`.\n\n- one\n- two\n\n```ts\nconst a = 1;\n```\n\n";
  model.script = [[say(part.repeat(20))]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Write much");
  await chat.finished();
  let asked = 0;
  page.on("request", (request) => {
    if (/\/api\/conversations\/[\w-]+$/.test(request.url())) asked += 1;
  });
  await page.addInitScript(watchView);
  await page.reload();
  await chat.finished();
  await expect(chat.lastTurn.getByRole("heading", { name: "A heading" })).toHaveCount(20);
  expect(await page.evaluate(() => globalThis.firstView)).toEqual({ marks: [], shifts: [] });
  // What the page has brought along is what is shown.
  expect(asked).toBe(0);
});

test("an answer stands in the page before its scripts run, at its end, and goes on where it was", async ({
  chat,
  page,
  model,
}) => {
  const lines = Array.from({ length: 80 }, (_, at) => `Line ${at}.`).join("\n\n");
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script = [[say(lines), until(promise), say("\n\nThe very end.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Write much");
  await expect(chat.lastTurn.getByText("Line 79.")).toBeVisible();
  const listen = await holdScripts(page);
  await page.reload({ waitUntil: "commit" });
  await expect(chat.lastTurn.getByText("Line 79.")).toBeInViewport();
  await expect(chat.message).toBeInViewport();
  await page.evaluate(watchLines);
  listen();
  await expect(page.getByRole("button", { name: "Stop" })).toBeVisible();
  resolve();
  await expect(chat.lastTurn.getByText("The very end.")).toBeInViewport();
  await chat.finished();
  await expect(chat.lastTurn.getByText("Line 79.")).toHaveCount(1);
  // At no time had it fewer lines than the page came with.
  expect(await page.evaluate(() => globalThis.fewestLines)).toBe(80);
});

test("a conversation that is on its way does not look like a new one", async ({ chat, page, model }) => {
  // Too long to come with the page.
  model.script = [[say("Many words. ".repeat(20_000))]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Write very much");
  await chat.finished();
  const path = new URL(page.url()).pathname;
  const answered = Promise.withResolvers<void>();
  await page.route("**/api/conversations/*", async (route) => {
    await answered.promise;
    await route.fallback();
  });
  await page.goto(chat.app.baseUrl + path, { waitUntil: "commit" });
  await expect(chat.message).toHaveAttribute("placeholder", "Ask the next thing");
  answered.resolve();
  await expect(chat.turns).toHaveCount(1);
});

/** Keeps back every script that is asked for from now on, until the returned function is called. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/_next/static/chunks/*.js", async (route) => {
    await promise;
    await route.fallback();
  });
  return resolve;
}

declare global {
  /** How many lines the answer had when it had fewest. */
  var fewestLines: number;
  /** Marks of Markdown that could be read in an answer, and what moved without anybody having touched the page. */
  var firstView: { marks: string[]; shifts: string[] };
}

/** Runs in the page before its own scripts, and looks at every change. */
function watchView(): void {
  const { marks, shifts } = { marks: [] as string[], shifts: [] as string[] };
  globalThis.firstView = { marks, shifts };
  new MutationObserver(() => {
    for (const answer of document.querySelectorAll<HTMLElement>("article")) {
      const mark = /##|\*\*|```/.exec(answer.textContent)?.[0];
      if (mark) marks.push(mark);
    }
  }).observe(document, { childList: true, subtree: true, characterData: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as (PerformanceEntry & { sources?: { node: Node | null }[] })[])
      for (const { node } of entry.sources ?? []) {
        const element = node instanceof Element ? node : node?.parentElement;
        if (element?.closest("[data-scroll]")) shifts.push(element.outerHTML.slice(0, 120));
      }
  }).observe({ type: "layout-shift", buffered: true });
}

function watchLines(): void {
  const count = () =>
    document.querySelector("article:last-of-type")?.textContent.match(/Line \d+\./g)?.length ?? 0;
  globalThis.fewestLines = count();
  new MutationObserver(() => {
    globalThis.fewestLines = Math.min(globalThis.fewestLines, count());
  }).observe(document, { childList: true, subtree: true, characterData: true });
}
