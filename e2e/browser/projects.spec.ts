import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { ChatPage } from "../support/chat-page";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const told = (request: { body: Record<string, unknown> } | undefined) =>
  JSON.stringify((request?.body.messages as unknown[] | undefined)?.[0]);

/** A menu that is opened on the page before goes with it. */
async function onPage({ message, page }: ChatPage, name: string): Promise<void> {
  await expect(message).toHaveAttribute("placeholder", `Ask in ${name}`);
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

async function make(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "New project", exact: true }).click();
  await page.getByRole("dialog", { name: "New project" }).getByRole("textbox", { name: "Name" }).fill(name);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name, level: 1 })).toBeVisible();
}

test("a project is made, told something, asked in, and its conversations are found in its folder", async ({
  startWithModel,
  open,
}) => {
  const { app, model } = await startWithModel([[say("Fine.")]]);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await make(page, "Refunds");
  await expect(chat.message).toHaveAttribute("placeholder", "Ask in Refunds");
  await page.getByRole("button", { name: "Edit instructions" }).click();
  const dialog = page.getByRole("dialog", { name: "Instructions" });
  await dialog.getByRole("textbox").fill("Amounts in yen.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Amounts in yen.")).toBeVisible();
  await page.locator("[data-project-files]").setInputFiles([
    { name: "tone.md", mimeType: "text/markdown", buffer: Buffer.from("Be calm.") },
    { name: "tone.md", mimeType: "text/markdown", buffer: Buffer.from("Be quick.") },
  ]);
  await expect(page.getByRole("link", { name: "tone (2).md" })).toBeVisible();
  await page.getByRole("button", { name: "Change servers" }).click();
  await page.getByRole("menuitemcheckbox", { name: "memory" }).click();
  await expect(page.getByText("filesystem, ", { exact: false })).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  await chat.ask("What was charged?");
  await chat.finished();
  expect(new URL(page.url()).pathname).toMatch(/^\/c\//);
  expect(told(model.requests.at(-1))).toContain("Amounts in yen.");
  expect(told(model.requests.at(-1))).toContain("Be quick.");
  expect(model.requests.at(-1)?.tools.filter((name) => name.startsWith("memory__"))).toEqual([]);
  await expect(page.getByRole("button", { name: "Hide conversations of Refunds" })).toBeVisible();
  await expect(chat.conversation("What was charged?")).toHaveCount(1);
  await chat.ask("And now?");
  await chat.finished();

  const folder = chat.sidebar.getByRole("link", { name: /^Refunds/ });
  await folder.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(chat.conversation("What was charged?")).toHaveCount(0);
  await page.keyboard.press("ArrowRight");
  await expect(chat.conversation("What was charged?")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main").getByRole("link", { name: "What was charged?" })).toBeVisible();
  await expect(folder).toHaveAttribute("aria-current", "page");
});

test("a conversation is dragged into a project, moved by its menu, and stays when the project is deleted", async ({
  startWithModel,
  open,
}) => {
  const { app } = await startWithModel([[say("Fine.")]], noServers);
  const chat = await open(app);
  const { page } = chat;
  await chat.askAnew("Loose talk");
  await make(page, "Refunds");
  const folder = chat.sidebar.getByRole("link", { name: /^Refunds/ });
  await chat.conversation("Loose talk").dragTo(folder);
  await expect(page.getByText("Moved “Loose talk” to Refunds.")).toBeVisible();
  await expect(folder).toHaveAccessibleName("Refunds 1 conversation");
  await expect(page.getByRole("main").getByRole("link", { name: "Loose talk" })).toBeVisible();
  await expect(chat.conversation("Loose talk")).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.conversation("Loose talk")).toHaveCount(1);
  await expect(folder).toHaveAccessibleName("Refunds No conversations");

  await chat.conversation("Loose talk").hover();
  await page.getByRole("button", { name: "More for Loose talk" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: "Move to project" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("menuitem", { name: "New project…" }).click();
  await page
    .getByRole("dialog", { name: "New project" })
    .getByRole("textbox", { name: "Name" })
    .fill("Other");
  await page.keyboard.press("Enter");
  const other = chat.sidebar.getByRole("link", { name: "Other 1 conversation" });
  await other.click();
  await onPage(chat, "Other");
  await chooseMore(page, "Delete project", "More for this project");
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click();
  await expect(page.getByText("Deleted project “Other”.")).toBeVisible();
  await expect(other).toHaveCount(0);
  await expect(chat.conversation("Loose talk")).toHaveCount(1);
  await page.goto(`${app.baseUrl}/p/gone`);
  await expect(page.getByRole("heading", { name: "This project is gone" })).toBeVisible();
});

test("on a phone and in Japanese a project is opened from the drawer, and its parts stand below one another", async ({
  startWithModel,
  open,
}) => {
  const { app } = await startWithModel([[say("はい。")]], noServers);
  const api = apiOf(app);
  const { id } = await api.post<{ id: string }>("/api/projects", {
    name: "返金",
    instructions: "金額は円で。",
  });
  const { page } = await open(app, {
    locale: "ja-JP",
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
    hasTouch: true,
  });
  await page.goto(`${app.baseUrl}/`);
  await page.getByRole("button", { name: "サイドバーを表示" }).click();
  await page.getByRole("button", { name: "返金 の会話を表示" }).click();
  await expect(page.getByText("会話はまだありません").first()).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: /^返金/ }).click();
  await expect(page.getByRole("heading", { name: "返金", level: 1 })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(`/p/${id}`);
  await expect(page.getByText("金額は円で。")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("textbox", { name: "メッセージ" }).fill("いくら？");
  await page.getByRole("button", { name: "送信" }).click();
  await expect(page.getByText("はい。")).toBeVisible();
  const { items } = await api.get<{ items: { projectId: string }[] }>("/api/conversations");
  expect(items[0]?.projectId).toBe(id);
});

test("what another tab does to a project is seen here, and a long name of a file stays in its column", async ({
  startWithModel,
  open,
}) => {
  const { app } = await startWithModel([[say("Fine.")]]);
  const body = { name: "Refunds", servers: ["memory"] };
  const { id } = await apiOf(app).post<{ id: string }>("/api/projects", body);
  const chat = await open(app);
  const { page } = chat;
  await chat.askAnew("Loose talk");
  const other = await page.context().newPage();
  await other.goto(`${app.baseUrl}/p/${id}`);
  const name = `${"refund-policy-".repeat(8)}2026.md`;
  const file = { name, mimeType: "text/markdown", buffer: Buffer.from("Be calm.") };
  await other.locator("[data-project-files]").setInputFiles(file);
  for (const width of [1280, 390]) {
    await other.setViewportSize({ width, height: 800 });
    await expect(other.getByRole("button", { name: `Remove ${name}` })).toBeInViewport({ ratio: 1 });
  }

  await expect(page.getByRole("button", { name: /^1 server/ })).toHaveCount(0);
  await expect(chat.sidebar.locator("time")).toBeVisible();
  await page.getByRole("button", { name: "More for Loose talk" }).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem", { name: "Move to project" })).toBeVisible();
  await page.mouse.move(900, 400);
  // Its button stands where the time was.
  await expect(chat.sidebar.locator("time")).toBeHidden();
  await page.getByRole("menuitem", { name: "Move to project" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.getByRole("menuitemcheckbox", { name: "Refunds" }).click();
  await expect(page.getByRole("button", { name: /^1 server/ })).toBeVisible();
  await expect(other.getByRole("main").getByRole("link", { name: "Loose talk" })).toBeVisible();

  await other.getByRole("button", { name: `Remove ${name}` }).focus();
  await other.keyboard.press("Enter");
  await expect(other.getByRole("button", { name: "Add file" })).toBeFocused();

  const third = await page.context().newPage();
  await third.goto(page.url());
  const asked = third.getByRole("article");
  await expect(asked).toHaveCount(1);
  await chat.sidebar.getByRole("link", { name: /^Refunds/ }).click();
  await onPage(chat, "Refunds");
  await chooseMore(page, "Delete project", "More for this project");
  await page.getByText("Delete conversations").click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete project" }).click();
  await third.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(asked).toHaveCount(0);
  await expect(third.getByRole("alert").getByRole("link", { name: "New chat" })).toBeVisible();
  await expect(other.getByRole("heading", { name: "This project is gone" })).toBeVisible();
  await expect(other.getByRole("heading", { name: "Files" })).toHaveCount(0);
});
