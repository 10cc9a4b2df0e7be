import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { host, payload } from "@/docs/corpus/rendering";
import { say } from "@/lib/providers/testing/steps";
import { expectHarmless } from "../support/expect-harmless";
import { shareEverything } from "../support/share-everything";
import { expect, test } from "../support/test";

declare global {
  var ours: Window | null | undefined;
}

test("nothing that a model writes runs, loads or reaches out, live, after a reload, shared and as a file", async ({
  chat,
  page,
  model,
  open,
  app,
}) => {
  model.script = [[say(payload, { pieces: 60 })]];
  await chat.chooseModel("test-model");
  await chat.ask(`<img src=x onerror=alert(1)> [t](javascript:alert(2)) ![i](${host}/title.png)`);
  await chat.finished();
  await expect(chat.lastTurn.getByText(/After$/)).toBeVisible();
  await expectHarmless(page);
  const answer = chat.lastTurn.locator("[data-growing]");
  await expect(answer.getByRole("link", { name: "beacon (tracker.invalid)" })).toHaveAttribute(
    "href",
    `${host}/pixel.png?leak=1`,
  );
  await expect(answer.getByRole("link", { name: "outside" })).toBeVisible();
  await expect(answer.getByText("script link")).toBeVisible();
  await expect(answer.getByRole("link", { name: "script link" })).toHaveCount(0);
  await expect(answer.getByRole("link", { name: "relative" })).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("<img src=x onerror=alert(1)>");

  await page.reload();
  await chat.finished();
  await expectHarmless(page);

  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Create link" })).toBeEnabled();
  await shareEverything(dialog);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByRole("textbox").inputValue();
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  await expect(stranger.page.getByText(/After$/).last()).toBeVisible();
  await expectHarmless(stranger.page);
  await stranger.page.goto(url);
  await expectHarmless(stranger.page);
});

test("nothing that stands in a file or comes from a tool runs, loads or reaches out", async ({
  chat,
  page,
  app,
}) => {
  writeFileSync(join(app.sandbox, "payload.md"), payload);
  await chat.ask("read payload.md");
  await chat.finished();
  const line = chat.toolLine("filesystem read_text_file, done, ");
  await line.click();
  await expect(chat.lastTurn.locator("pre").getByText("Before").first()).toBeVisible();
  await expectHarmless(page);
  await chat.lastTurn.getByRole("button", { name: "Show raw" }).click();
  await expectHarmless(page);
  await page.reload();
  await chat.finished();
  await expectHarmless(page);
});

test("what a tool call is asked with cannot draw over its own question", async ({ chat, page, app }) => {
  const name = `"><img src=x onerror=window.pwned=1>.md`;
  await chat.ask(`/tool filesystem__write_file ${JSON.stringify({ path: name, content: payload })}`);
  await expect(chat.card.getByRole("textbox", { name: "path" })).toHaveValue(name);
  await expectHarmless(page);
  await chat.card.getByRole("button", { name: "Deny" }).click();
  await chat.finished();
  expect(app.pid).toBeGreaterThan(0);
});

test("a page that opens ours from another site loses its window, and whoever enters the address stays in theirs", async ({
  open,
  app,
}) => {
  const other = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><link rel=icon href=data:,><title>Another site</title>");
  }).listen(0, "127.0.0.1");
  await once(other, "listening");
  const site = `http://localhost:${(other.address() as AddressInfo).port}`;
  const { page } = await open(app, { visits: [site] });
  const entered = await page.goto(app.baseUrl);
  expect(entered?.headers()).not.toHaveProperty("cross-origin-opener-policy");
  await page.goto(site);
  const opened = page.waitForEvent("popup");
  await page.evaluate((url) => {
    globalThis.ours = window.open(url);
  }, app.baseUrl);
  const popup = await opened;
  await expect(popup.getByRole("textbox").first()).toBeVisible();
  expect(await popup.evaluate(() => window.opener)).toBeNull();
  await expect.poll(() => page.evaluate(() => globalThis.ours?.closed)).toBe(true);
  expect(popup.isClosed()).toBe(false);
  other.close();
});
