import { pathToFileURL } from "node:url";
import type { Download, Page } from "@playwright/test";
import { apiOf } from "../support/api";
import { findTextFaults } from "../support/check-layout";
import { expectAccessible, findSidewaysScroll } from "../support/check-page";
import { importTalk } from "../support/long-data";
import { expect, serversReady, test } from "../support/test";

const dialogOf = (page: Page) => page.getByRole("dialog", { name: /^(Share conversation|Link created)$/ });

async function share(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialogOf(page).getByRole("button", { name: "Create link" }).click();
  const url = await dialogOf(page).getByRole("textbox").inputValue();
  await page.keyboard.press("Escape");
  await expect(dialogOf(page)).toHaveCount(0);
  return url;
}

test("a link shows a stranger without JavaScript the whole conversation, frozen, and not to search engines", async ({
  chat,
  page,
  app,
  open,
}) => {
  await chat.askAnew("list the files");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(dialogOf(page).getByText(/^One question with its answer, and 2 tool calls/)).toBeVisible();
  await expect(dialogOf(page).getByRole("radio", { name: "never" })).toBeChecked();
  await dialogOf(page).getByRole("button", { name: "Create link" }).click();
  await expect(dialogOf(page)).toHaveAccessibleName("Link created");
  await expect(dialogOf(page).getByRole("textbox")).toBeFocused();
  await expect(dialogOf(page).getByText("This address works only on this machine.")).toBeVisible();
  const url = await dialogOf(page).getByRole("textbox").inputValue();
  await page.keyboard.press("Escape");
  await chat.ask("count to 3");
  await chat.finished();

  const stranger = await open(app, { stranger: true, javaScriptEnabled: false });
  const response = await stranger.page.goto(url);
  expect(response?.status()).toBe(200);
  expect(response?.headers()).toMatchObject({
    "x-robots-tag": "noindex",
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
  });
  await expect(stranger.page.getByRole("heading", { name: "list the files", level: 1 })).toBeVisible();
  await expect(stranger.turns).toHaveCount(1);
  await expect(stranger.page.getByText("welcome.md").last()).toBeVisible();
  await expect(stranger.page.getByText("1 2 3.")).toHaveCount(0);
  const line = stranger.page.locator("summary").filter({ hasText: "list_directory" });
  await line.click();
  await expect(stranger.page.locator("pre").getByText("[FILE] welcome.md")).toBeVisible();
  // Nothing is dead without a script, and how to go on opens.
  await expect(stranger.page.getByRole("banner").getByRole("button")).toHaveCount(0);
  await expect(stranger.page.locator("time").first()).toContainText("UTC");
  await stranger.page.getByText("How to continue").click();
  await expect(stranger.page.getByText(/^If this Meguri is yours/)).toBeVisible();
  // It shows nothing of the application around it.
  await expect(stranger.page.getByRole("navigation")).toHaveCount(0);
  expect((await stranger.page.goto(app.baseUrl))?.status()).toBe(401);
});

test("what a link shows is chosen, seen before it is made, and begins with the last choice", async ({
  start,
  open,
}) => {
  // Of its own: in a shared one the last choice is that of another test.
  const app = await start();
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.askAnew("list the files");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = dialogOf(page);
  const ofTool = dialog.getByRole("group", { name: "How much of list_directory is shown" });
  await expect(ofTool.getByRole("radio", { name: "summary" })).toBeChecked();
  await expect(dialog.getByText("2 shortened")).toBeVisible();
  await expect(dialog.getByRole("switch", { name: "Reasoning" })).not.toBeChecked();
  // By the keyboard alone, as in any group of radios.
  await ofTool.getByRole("radio", { name: "summary" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(dialog.getByText("1 call hidden · 1 shortened")).toBeVisible();
  await expect(ofTool.getByRole("radio", { name: "hidden" })).toBeFocused();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByRole("textbox").inputValue();
  await page.keyboard.press("Escape");

  const html = await (await fetch(url)).text();
  expect(html).toContain("list_directory");
  expect(html).not.toContain("[FILE]");
  expect(html).not.toContain("First I ask which folder");
  const stranger = await open(app, { stranger: true, javaScriptEnabled: false });
  await stranger.page.goto(url);
  const line = stranger.page.locator("summary").filter({ hasText: "list_directory" });
  await expect(line).toContainText("not shared");
  await line.click();
  await expect(stranger.page.getByText("The author has not shared the arguments")).toBeVisible();

  await page.getByRole("button", { name: "Share", exact: true }).click();
  await expect(ofTool.getByRole("radio", { name: "hidden" })).toBeChecked();
});

test("links are listed, and a revoked one has ended for everybody", async ({ chat, page, app, open }) => {
  const title = "count to 2 for a link";
  await chat.askAnew(title);
  const url = await share(page);
  const stranger = await open(app, { stranger: true });
  expect((await stranger.page.goto(url))?.status()).toBe(200);
  await expect(stranger.page.getByText("1 2.")).toBeVisible();

  await chat.goto("/settings/shares");
  const row = page.getByRole("listitem").filter({ hasText: title });
  await expect(row).toContainText("opened once");
  await expect(row.getByRole("link", { name: `Open the link to ${title}` })).toHaveAttribute("href", url);
  await row.getByRole("button", { name: `Revoke the link to ${title}` }).click();
  await row.getByRole("button", { name: "Revoke? This can’t be undone." }).click();
  await expect(row).toContainText("revoked ");
  await expect(row.getByRole("link")).toHaveCount(0);

  expect((await stranger.page.goto(url))?.status()).toBe(410);
  await expect(stranger.page.getByRole("heading", { name: "This link has ended" })).toBeVisible();
  expect((await stranger.page.goto(`${app.baseUrl}/share/never-was`))?.status()).toBe(404);
  await expect(stranger.page.getByRole("heading", { name: "No such conversation" })).toBeVisible();
});

test("the file of a conversation opens from the disk and asks nobody for anything", async ({
  chat,
  page,
  app,
  open,
}, info) => {
  await chat.askAnew("show markdown");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const [fromDialog] = await Promise.all([
    page.waitForEvent("download"),
    dialogOf(page).getByRole("button", { name: "Save as file" }).click(),
  ]);
  await page.keyboard.press("Escape");
  const url = await share(page);
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  const [fromPage] = await Promise.all([
    stranger.page.waitForEvent("download"),
    stranger.page.getByRole("link", { name: "Save as file" }).click(),
  ]);

  for (const [name, download] of Object.entries({ fromDialog, fromPage } satisfies Record<
    string,
    Download
  >)) {
    expect(download.suggestedFilename()).toBe("show markdown.html");
    const path = info.outputPath(`${name}.html`);
    await download.saveAs(path);
    const reader = await open(app, { stranger: true });
    const asked: string[] = [];
    reader.page.on("request", (request) => asked.push(request.url()));
    await reader.page.goto(pathToFileURL(path).href);
    await expect(reader.page.getByRole("heading", { name: "show markdown", level: 1 })).toBeVisible();
    await expect(reader.page.getByRole("heading", { name: "Markdown", exact: true })).toBeVisible();
    await expect(reader.page.getByRole("table")).toBeVisible();
    // The paper of the application: its styles came along.
    await expect(reader.page.locator("body")).toHaveCSS("background-color", "rgb(251, 249, 244)");
    await expect(reader.page.getByRole("button")).toHaveCount(0);
    expect(asked).toEqual([pathToFileURL(path).href]);
  }
});

test("what may be private is held back until somebody has decided on it", async ({
  chat,
  page,
  app,
  open,
}) => {
  const secret = "sk-abcdefghijklmnop1234567890";
  await chat.askAnew(`count to 3 ${secret}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = dialogOf(page);
  await expect(dialog.getByText("One thing to look at before you share")).toBeVisible();
  await expect(dialog.getByText("API key, in the title")).toBeVisible();
  await dialog.getByRole("button", { name: "Look at one thing" }).click();
  await expect(dialog.getByRole("radio", { name: "redact" })).toBeFocused();
  await dialog.getByRole("button", { name: "Redact all" }).click();
  await expect(dialog.getByRole("radio", { name: "redact" })).toBeChecked();
  await expect(
    dialog.getByRole("img", { name: "redacted: API key", includeHidden: true }).first(),
  ).toBeAttached();
  await expect(dialog.getByText(secret)).toHaveCount(0);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByRole("textbox").inputValue();
  const stranger = await open(app, { stranger: true, timezoneId: "Asia/Tokyo" });
  await stranger.page.goto(url);
  await expect(stranger.page.getByRole("img", { name: "redacted: API key" }).first()).toBeVisible();
  expect(await stranger.page.content()).not.toContain(secret);
  await expect(stranger.page.locator("time").first()).toContainText("GMT+9");

  await page.keyboard.press("Escape");
  await chat.ask("count to 2");
  await chat.finished();
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByRole("button", { name: /^Update the link to / }).click();
  const held = dialog.getByRole("alert").filter({ hasText: "One thing to look at before you share" });
  await expect(held).toBeVisible();
  await held.getByRole("button", { name: "Update with redactions" }).click();
  await expect(page.getByText(/now shows the current conversation/)).toBeVisible();
  await expect(held).toHaveCount(0);
  await expect(dialog.getByRole("button", { name: /^Update the link to / })).toBeFocused();
  await stranger.page.reload();
  await expect(stranger.turns).toHaveCount(2);
  expect(await stranger.page.content()).not.toContain(secret);
});

test("a signed-in reader goes on with a shared conversation as an own one", async ({ chat, page }) => {
  await chat.askAnew("count to 3 to be continued");
  const url = await share(page);
  await page.goto(url);
  await page.getByRole("button", { name: "Continue in my Meguri" }).click();
  await expect(page).toHaveURL(/\/c\/[\w-]+$/);
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
  await chat.ask("count to 4");
  await chat.finished();
  await expect(chat.turns).toHaveCount(2);
});

test("a long conversation, a link that has ended and one that never was are sound on a phone in both languages", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig: { mcpServers: {} } });
  const api = apiOf(app);
  await importTalk(app, 1, false);
  const { items } = await api.get<{ items: { id: string }[] }>("/api/conversations");
  const shares = `/api/conversations/${items[0]?.id}/shares`;
  const soon = new Date(Date.now() + 1_500).toISOString();
  const make = (body: object) => api.post<{ id: string; url: string }>(shares, body);
  const [long, expired, revoked] = [await make({}), await make({ expiresAt: soon }), await make({})];
  await api.send("DELETE", `/api/shares/${revoked.id}`);
  await expect.poll(async () => (await fetch(expired.url)).status).toBe(410);
  for (const [locale, ended, unknown, copy] of [
    ["en-US", "This link has ended", "No such conversation", "Shared copy, read-only"],
    ["ja-JP", "このリンクは終了しました", "会話が見つかりません", "共有されたコピー（閲覧のみ）"],
  ] as const) {
    const { page } = await open(app, { stranger: true, locale, viewport: { width: 360, height: 740 } });
    for (const [url, words] of [
      [long.url, copy],
      [expired.url, ended],
      [revoked.url, ended],
      [`${app.baseUrl}/share/never-was`, unknown],
    ] as const) {
      await page.goto(url);
      await expect(page.getByText(words)).toBeAttached();
      expect(await findSidewaysScroll(page)).toEqual([]);
      expect(await findTextFaults(page)).toEqual([]);
      await expectAccessible(page);
    }
  }
});

test("a link plays its conversation by the keyboard, asks nobody for anything and holds nothing that is hidden", async ({
  chat,
  page,
  app,
  open,
}) => {
  await chat.askAnew("list the files");
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("group", { name: "Tool calls" }).getByText("hidden", { exact: true }).click();
  // It begins with what the newest link shows, which another test may have made.
  const reasoning = dialog.getByRole("switch", { name: "reasoning" });
  if (await reasoning.isChecked()) await reasoning.click();
  await dialog.getByRole("switch", { name: "Play as a replay" }).click();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByRole("textbox").inputValue();
  expect(url).toMatch(/\?play$/);
  const plain = url.replace("?play", "");
  const payload = { rsc: "1" };
  for (const address of [url, plain])
    for (const headers of [{}, payload]) {
      const response = await fetch(address, { headers });
      expect(response.status).toBe(200);
      const sent = JSON.stringify([...response.headers]) + (await response.text());
      expect(sent).not.toMatch(/\[FILE\]|First I ask which folder/);
    }
  expect(await (await fetch(plain)).text()).not.toMatch(/\\?"steps\\?":\[\{\\?"at/);

  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  const position = stranger.page.getByRole("slider", { name: "Time in the replay" });
  await expect(position).toHaveAttribute("aria-valuenow", "0");
  const asked: string[] = [];
  stranger.page.on("request", (request) => asked.push(request.url()));
  await expect(stranger.page.locator("[data-loop]").first()).toBeVisible();
  await stranger.page.keyboard.press("Shift+ArrowRight");
  await expect(position).not.toHaveAttribute("aria-valuenow", "0");
  await stranger.page.keyboard.press("4");
  await expect(stranger.page.getByRole("radio", { name: "4×" })).toBeChecked();
  await stranger.page.keyboard.press("w");
  await expect(stranger.page.getByRole("button", { name: "Skip waits" })).toHaveAttribute(
    "aria-pressed",
    "true",
  );
  await stranger.page.keyboard.press("Home");
  await stranger.page.keyboard.press("Space");
  await expect(stranger.page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect(position).toHaveAttribute(
    "aria-valuenow",
    (await position.getAttribute("aria-valuemax")) ?? "",
  );
  await expect(stranger.page.getByText("welcome.md").last()).toBeVisible();
  expect(asked).toEqual([]);
  await expectAccessible(stranger.page);
});
