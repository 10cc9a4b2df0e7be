import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { callTools, say } from "@/lib/providers/testing/steps";
import { type App, startApp } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { everythingOverStdio } from "../support/everything";
import { type Modern, startModern } from "../support/modern";
import { expect, serversReady, test } from "../support/test";

// Questions on the 2026-07-28 wire: a call ends in `input_required`, and is sent again with the answers, by another
// process as well.
test.describe.configure({ mode: "default" });

let app: App;
let modern: Modern;
const setup = () => ({
  env: { TOOL_APPROVAL: "allow" },
  mcpConfig: { mcpServers: { stdio: modern.stdio, http: modern.http } },
});

test.beforeAll(async () => {
  modern = await startModern();
  app = await startApp(setup());
  await serversReady(app);
});

test.afterAll(async () => {
  await app.kill9();
  await app.dispose();
  await modern.end();
});

for (const wire of ["stdio", "http"] as const) {
  const cardOf = (page: Page) => page.getByRole("group", { name: new RegExp(`^${wire} has a question`) });
  const callsOf = (name: string) =>
    modern.lines(wire).filter((line) => line.event === "call" && line.name === name).length;

  test(`${wire}: a form with every kind of field has its defaults, survives a reload and is sent once`, async ({
    open,
  }) => {
    const chat = await open(app);
    const before = callsOf("survey");
    await chat.callTool(`${wire}__survey`);
    const card = cardOf(chat.page);
    await expect(card.getByText("A few questions.")).toBeVisible();
    await expectAccessible(chat.page);
    await chat.page.setViewportSize({ width: 390, height: 844 });
    await expectNoSidewaysScroll(chat.page);
    const widthOf = async (label: string) => (await card.getByLabel(label).boundingBox())?.width;
    expect(await widthOf("Wakes at")).toBe(await widthOf("E-mail"));
    await chat.page.setViewportSize({ width: 1280, height: 800 });
    await chat.page.reload();
    await card.getByRole("button", { name: "Send" }).click();
    await expect(card).toBeVisible(); // the name is missing, says the browser
    await card.getByLabel("Name *").fill("Ada");
    await card.getByLabel("Cups").fill("3");
    await card.getByLabel("Colour").selectOption({ label: "Red" });
    await card.getByLabel("fox").check();
    await card.getByLabel("Monday").uncheck();
    await card.getByLabel("Drinks tea").uncheck();
    await card.getByRole("button", { name: "Send" }).click();
    await chat.finished();
    await chat.toolLine(`${wire} survey, done, `).click();
    await chat.lastTurn.getByRole("button", { name: "Show raw" }).click();
    await expect(chat.lastTurn.locator("pre").last()).toContainText('"Mog"');
    const shown = ((await chat.lastTurn.locator("[data-call-detail]").textContent()) ?? "").replace(
      /\s+/g,
      "",
    );
    for (const part of [
      ...['"name":"Ada"', '"nick":"Mog"', '"mail":"mog@example.com"', '"page":"https://example.com/"'],
      ...['"born":"2000-02-29"', '"wakes":"2026-07-28T06:30:00.000Z"', '"cups":3', '"weight":61.5'],
      ...['"tea":false', '"size":"large"', '"colour":"r"', '"pets":["cat","fox"]', '"days":["tu"]'],
    ])
      expect(shown).toContain(part);
    expect(callsOf("survey") - before).toBe(2);
  });

  test(`${wire}: it is declined in another tab, which the first one shows by itself`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__survey`);
    await expect(cardOf(chat.page)).toBeVisible();
    const other = chat.sibling(await chat.page.context().newPage());
    await other.goto(new URL(chat.page.url()).pathname);
    await cardOf(other.page).getByRole("button", { name: "Decline" }).click();
    await expect(other.lastTurn.getByText("It was a decline.").first()).toBeVisible();
    await expect(cardOf(chat.page)).toHaveCount(0);
    await expect(chat.lastTurn.getByText("It was a decline.").first()).toBeVisible();
  });

  test(`${wire}: kill -9 between two questions loses neither the call nor the first answer`, async ({
    start,
    open,
  }) => {
    const own = await start(setup());
    await serversReady(own);
    const chat = await open(own);
    await chat.callTool(`${wire}__interview`);
    const card = cardOf(chat.page);
    await expect(card.getByText("Who are you?")).toBeVisible();
    await own.kill9();
    await own.restart();
    await chat.page.reload();
    await card.getByLabel("name").fill("Ada");
    await card.getByRole("button", { name: "Send" }).click();
    await expect(card.getByText("Where do you live, Ada?")).toBeVisible();
    await own.kill9();
    await own.restart();
    await chat.page.reload();
    await card.getByLabel("town").fill("London");
    await card.getByRole("button", { name: "Send" }).click();
    await chat.finished();
    await expect(chat.lastTurn.getByText("Ada lives in London.").first()).toBeVisible();
  });

  test(`${wire}: a page to visit is shown with its whole host, opened on a click only, and knows nothing of us`, async ({
    open,
  }) => {
    const visits: string[] = [];
    const site = createServer(({ headers }, response) => {
      visits.push(headers.referer ?? "no referrer");
      response.setHeader("content-type", "text/html").end("<title>Consent</title>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    try {
      const chat = await open(app, { visits: [origin] });
      await chat.callTool(`${wire}__consent`, { url: `${origin}/consent?for=meguri` });
      const card = chat.page.getByRole("group", { name: `${wire} asks you to open a page` });
      await expect(card.getByText(`The page belongs to ${new URL(origin).host}.`)).toBeVisible();
      await chat.page.reload();
      await expect(card).toBeVisible();
      expect(visits).toEqual([]);
      const opened = chat.page.context().waitForEvent("page");
      await card.getByRole("link", { name: "Open the page" }).click();
      const page = await opened;
      await expect(page).toHaveTitle("Consent");
      expect(await page.evaluate(() => window.opener)).toBeNull();
      expect(visits[0]).toBe("no referrer");
      await card.getByRole("button", { name: "I’ve opened it" }).click();
      await chat.finished();
      await expect(chat.lastTurn.getByText("The person said accept.").first()).toBeVisible();
    } finally {
      site.closeAllConnections();
      site.close();
    }
  });
}

test("what servers of both wires say of themselves reaches the model under their names, and so do results", async ({
  startWithModel,
  open,
}) => {
  const { app: own, model } = await startWithModel(
    [[callTools({ name: "http__greet", args: { name: "Ada" } })], [say("She was greeted.")]],
    {
      env: { TOOL_APPROVAL: "allow" },
      mcpConfig: { mcpServers: { http: modern.http, everything: everythingOverStdio } },
    },
  );
  await serversReady(own);
  const chat = await open(own);
  await chat.goto("/");
  await chat.ask("Greet Ada");
  await chat.finished();
  await expect(chat.lastTurn.getByText("She was greeted.")).toBeVisible();
  const [first, second] = model.requests;
  const system = JSON.stringify(first?.body.messages);
  expect(system).toContain(
    '<server_instructions server=\\"http\\">\\nSay please to the modern server.\\n</server_instructions>',
  );
  expect(system).toContain('<server_instructions server=\\"everything\\">\\n');
  expect(first?.tools).toEqual(expect.arrayContaining(["everything__echo", "http__survey"]));
  expect(second?.toolResults).toEqual(["Hello, Ada."]);
});
