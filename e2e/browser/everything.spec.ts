import { type App, startApp } from "../support/app";
import { everythingOverStdio, startEverything } from "../support/everything";
import { expect, serversReady, test } from "../support/test";

// The 2025-11-25 wire against the reference server with a bit of everything, over both transports.
test.describe.configure({ mode: "default" });

let app: App;
let remote: Awaited<ReturnType<typeof startEverything>>;

test.beforeAll(async () => {
  remote = await startEverything();
  app = await startApp({
    env: { TOOL_APPROVAL: "allow" },
    mcpConfig: { mcpServers: { stdio: everythingOverStdio, http: { type: "http", url: remote.url } } },
  });
  await serversReady(app);
});

test.afterAll(async () => {
  await app.kill9();
  await app.dispose();
  await remote.end();
});

for (const wire of ["stdio", "http"] as const) {
  test(`${wire}: the settings say which wire and version is spoken`, async ({ open }) => {
    const { page, app: own } = await open(app);
    await page.goto(`${own.baseUrl}/settings/mcp`);
    await page.getByRole("button", { name: new RegExp(`^${wire}`) }).click();
    await expect(
      page.getByText("Uses MCP 2025-11-25, session-based: one session for all requests."),
    ).toBeVisible();
    await expect(page.getByText("Also 4 prompts and 7 resources.")).toBeVisible();
  });

  test(`${wire}: structured content, an image and an embedded file come back and are shown`, async ({
    open,
  }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__get-structured-content`, { location: "Chicago" });
    await chat.finished();
    await chat.toolLine(`${wire} get-structured-content, done, `).click();
    await expect(chat.lastTurn.getByText('"conditions"').first()).toBeVisible();

    await chat.ask(`/tool ${wire}__get-annotated-message {"messageType": "success", "includeImage": true}`);
    await chat.finished();
    await chat.toolLine(`${wire} get-annotated-message, done, `).click();
    await expect(chat.lastTurn.getByText("Only for you; the model doesn’t see it.")).toBeVisible();
    const image = chat.lastTurn.getByRole("img", { name: "Image from the tool" });
    await expect
      .poll(() => image.evaluate((element: HTMLImageElement) => element.naturalWidth))
      .toBeGreaterThan(0);

    await chat.ask(`/tool ${wire}__get-resource-reference {"resourceType": "Blob", "resourceId": 2}`);
    await chat.finished();
    await chat.toolLine(`${wire} get-resource-reference, done, `).click();
    await expect(chat.lastTurn.locator("a[download]")).toHaveAttribute("download", "2");
  });

  test(`${wire}: how far a call is stands in its line, and Stop tells the server`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__trigger-long-running-operation`, { duration: 60, steps: 120 });
    await expect(chat.lastTurn.getByText(/^\d+ of 120$/)).toBeVisible();
    const log = async () => (await app.fetch(`/api/mcp/servers/${wire}/logs`)).text();
    expect(await log()).not.toContain("→ notifications/cancelled");
    await chat.stop.click();
    await expect.poll(log).toContain("→ notifications/cancelled");
    await chat.finished();
  });

  test(`${wire}: a form is filled in after a reload, while its call waits`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__trigger-elicitation-request`);
    const card = chat.page.getByRole("group", { name: new RegExp(`^${wire} has a question`) });
    await expect(card).toBeVisible();
    await chat.page.reload();
    await card
      .getByRole("textbox", { name: /^String/ })
      .first()
      .fill("Ada");
    await card.getByRole("button", { name: "Send" }).click();
    await chat.finished();
    await expect(chat.lastTurn.getByText(/User provided the requested information/).first()).toBeVisible();
  });

  test(`${wire}: a page that a call fails without (-32042) is asked for, and the call is sent again`, async ({
    open,
  }) => {
    const chat = await open(app);
    // On this path the server names a page of its own.
    const args = { url: "https://example.com/", message: "Please.", errorPath: true };
    await chat.callTool(`${wire}__trigger-url-elicitation`, args);
    const card = chat.page.getByRole("group", { name: `${wire} asks you to open a page` });
    await expect(card.getByText("The page belongs to modelcontextprotocol.io.")).toBeVisible();
    await chat.page.reload();
    await card.getByRole("button", { name: "I’ve opened it" }).click();
    // Sent again, it wants the page of its arguments as well, in the middle of the call.
    await expect(card.getByText("The page belongs to example.com.")).toBeVisible();
    await card.getByRole("button", { name: "I’ve opened it" }).click();
    await chat.finished();
    await expect(chat.toolLine(`${wire} trigger-url-elicitation, done, `)).toBeVisible();
  });

  test(`${wire}: what a tool points to is read from the server on a click`, async ({ open }) => {
    const chat = await open(app);
    await chat.callTool(`${wire}__get-resource-links`, { count: 1 });
    await chat.finished();
    await chat.toolLine(`${wire} get-resource-links, done, `).click();
    await chat.lastTurn.getByRole("button", { name: "Open", exact: true }).click();
    await expect(chat.lastTurn.getByRole("button", { name: "Close", exact: true })).toBeVisible();
  });
}
