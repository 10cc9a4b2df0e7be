import { type App, startApp } from "../support/app";
import { expectAccessible } from "../support/check-page";
import { type Modern, startModern } from "../support/modern";
import { expect, serversReady, test } from "../support/test";

// The 2026-07-28 wire against a server on the protocol's own package, over both transports, which speaks nothing older.
test.describe.configure({ mode: "default" });

let app: App;
let modern: Modern;

test.beforeAll(async () => {
  modern = await startModern();
  app = await startApp({
    env: { TOOL_APPROVAL: "allow" },
    mcpConfig: { mcpServers: { stdio: modern.stdio, http: modern.http } },
  });
  await serversReady(app);
});

test.afterAll(async () => {
  await app.kill9();
  await app.dispose();
  await modern.end();
});

for (const wire of ["stdio", "http"] as const) {
  const sentTo = (name: string) => modern.lines(wire).filter((line) => line.name === name);

  test(`${wire}: the settings say which wire and version is spoken, and list all pages of tools`, async ({
    open,
  }) => {
    const { page, ...chat } = await open(app);
    await page.goto(`${chat.app.baseUrl}/settings/mcp`);
    await page.getByRole("button", { name: new RegExp(`^${wire}`) }).click();
    await expect(
      page.getByText("Uses MCP 2026-07-28, without sessions: each request is independent."),
    ).toBeVisible();
    await expect(page.getByText("Also one prompt and 5 resources.")).toBeVisible();
    for (const name of ["consent", "wait"])
      await expect(page.getByRole("switch", { name: `${name} offered to models` })).toBeChecked();
    await page.getByText("Instructions for models").click();
    await expect(page.getByText("Say please to the modern server.")).toBeVisible();
    await expectAccessible(page);
  });

  test(`${wire}: text, rows, an image and a failure come back and are shown`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__greet`, { name: "Ada" });
    await chat.finished();
    await expect(chat.lastTurn.getByText("Hello, Ada.").first()).toBeVisible();

    await chat.ask(`/tool ${wire}__forecast {}`);
    await chat.finished();
    await chat.toolLine(`${wire} forecast, done, .*2 rows`).click();
    await expect(chat.lastTurn.getByRole("columnheader", { name: "degrees" })).toBeVisible();
    await expect(chat.lastTurn.getByRole("cell", { name: "15" })).toBeVisible();

    await chat.ask(`/tool ${wire}__draw {}`);
    await chat.finished();
    await chat.toolLine(`${wire} draw, done, .*1 image`).click();
    const image = chat.lastTurn.getByRole("img", { name: "Image from the tool" });
    await expect.poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(8);

    await chat.ask(`/tool ${wire}__fail {}`);
    await chat.finished();
    await expect(chat.toolLine(`${wire} fail, failed, `)).toBeVisible();
    await expect(chat.lastTurn.getByText(/^Failed: It cannot\./)).toBeVisible();
  });

  test(`${wire}: sound can be heard, a file kept, and what is for one alone is shown as that`, async ({
    open,
  }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__sing`);
    await chat.finished();
    await chat.toolLine(`${wire} sing, done, `).click();
    const sound = chat.lastTurn.locator("audio");
    await expect
      .poll(() => sound.evaluate((element: HTMLAudioElement) => element.duration))
      .toBeCloseTo(0.1, 1);
    await expect(chat.lastTurn.getByRole("link", { name: "score.pdf" })).toHaveAttribute(
      "download",
      "score.pdf",
    );
    await expect(chat.lastTurn.getByText("Only for you; the model doesn’t see it.")).toBeVisible();
    await expect(chat.lastTurn.getByText("Do not tell the model.").last()).toBeVisible();
    await expect(chat.lastTurn.getByText("The note was an A.").last()).toBeVisible();
    await expectAccessible(chat.page);
  });

  test(`${wire}: how far a call is stands in its line`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__count`, { to: 20, pauseMs: 200 });
    await expect(chat.lastTurn.getByText(/at \d+/).first()).toBeVisible();
    await chat.finished();
    await expect(chat.lastTurn.getByText("Counted to 20.").first()).toBeVisible();
  });

  test(`${wire}: Stop cancels the call, and the server knows`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__wait`);
    await expect.poll(() => sentTo("wait").length).toBe(1);
    await chat.stop.click();
    await expect
      .poll(() => sentTo("wait"))
      .toEqual([
        { event: "call", name: "wait" },
        { event: "cancelled", name: "wait" },
      ]);
    await chat.finished();
    await chat.callTool(`${wire}__greet`, { name: "Bob" });
    await chat.finished();
    await expect(chat.lastTurn.getByText("Hello, Bob.").first()).toBeVisible();
  });

  test(`${wire}: what a tool points to is read from the server on a click`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__shelf`);
    await chat.finished();
    await chat.toolLine(`${wire} shelf, done, `).click();
    await expect(chat.lastTurn.getByText("The third book", { exact: true })).toBeVisible();
    await expect(chat.lastTurn.getByText("The text of book-3.")).toHaveCount(0);
    await chat.lastTurn.getByRole("button", { name: "Open", exact: true }).click();
    await expect(chat.lastTurn.getByText("The text of book-3.")).toBeVisible();
  });

  test(`${wire}: the server asks for the folders of its entry, and gets them without a person`, async ({
    open,
  }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__folders`);
    await chat.finished();
    await expect(chat.lastTurn.getByText(/meguri-modern-.*: file:\/\/\//).first()).toBeVisible();
  });
}
