import type { Page } from "@playwright/test";
import type { ChatPage } from "../support/chat-page";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { everythingOverStdio } from "../support/everything";
import { countFromNow } from "../support/server-log";
import { expect, serversReady, test } from "../support/test";

const cardOf = (page: Page) => page.getByRole("group", { name: /^everything has a question/ });

async function askWith(chat: ChatPage, tool: string, args: unknown = {}): Promise<void> {
  await chat.goto("/");
  await chat.ask(`/tool everything__${tool} ${JSON.stringify(args)}`);
  await chat.card.getByRole("button", { name: "Allow once" }).click();
}

test("a server's form is filled in after a reload, in the middle of its call", async ({ chat, page }) => {
  await askWith(chat, "trigger-elicitation-request");
  const card = cardOf(page);
  await expect(card).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await expect(card.getByText("Your answer goes to everything. Don’t enter passwords.")).toBeVisible();
  // A question that is taller than the window is seen from its top, also after a reload.
  await expect(card.getByRole("heading")).toBeInViewport();
  // The browser says what is missing, and nothing is sent.
  await card.getByRole("button", { name: "Send" }).click();
  await expect(card).toBeVisible();
  await card
    .getByRole("textbox", { name: /^String/ })
    .first()
    .fill("Ada");
  await card.getByLabel("String with email format").fill("ada@example.com");
  await card.getByLabel("Number in range 1-1000").fill("4.5");
  await card.getByRole("button", { name: "Send" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText(/User provided the requested information/).first()).toBeVisible();
  await expect(chat.lastTurn.getByText(/ada@example\.com/).first()).toBeVisible();
  await expect(card).toHaveCount(0);
});

test("thirteen fields of every kind are answered at once, and arrive as what they are", async ({
  chat,
  page,
}) => {
  await askWith(chat, "trigger-elicitation-request");
  const card = cardOf(page);
  await card.getByLabel("String *", { exact: true }).fill("Ada Lovelace");
  await card.getByLabel("Boolean").check();
  await card.getByLabel("String with default").fill("Call me Ada.");
  await card.getByLabel("String with email format").fill("ada@example.com");
  await card.getByLabel("String with uri format").fill("https://ada.example.com/");
  await card.getByLabel("String with date format").fill("1815-12-10");
  await card.getByLabel("Integer").fill("7");
  await card.getByLabel("Number in range 1-1000").fill("2.5");
  await card.getByLabel("Untitled Single Select Enum").selectOption("Ross");
  await card.getByRole("group", { name: "Untitled Multiple Select Enum" }).getByLabel("Drums").check();
  await card.getByLabel("Titled Single Select Enum", { exact: true }).selectOption("Green Lantern");
  const fish = card.getByRole("group", { name: "Titled Multiple Select Enum", exact: true });
  await fish.getByLabel("Tuna").uncheck();
  await fish.getByLabel("Trout").check();
  await card.getByLabel("Legacy Titled Single Select Enum").selectOption("Reptiles");
  await card.getByRole("button", { name: "Send" }).click();
  await chat.finished();
  const arrived = chat.lastTurn.getByText(/Raw result: /).first();
  const raw = (await arrived.textContent()) ?? "";
  expect(JSON.parse(/Raw result: (\{[\s\S]*\n\})/.exec(raw)?.[1] ?? "null")).toEqual({
    action: "accept",
    content: {
      ...{ name: "Ada Lovelace", check: true, firstLine: "Call me Ada.", email: "ada@example.com" },
      ...{ homepage: "https://ada.example.com/", birthdate: "1815-12-10", integer: 7, number: 2.5 },
      untitledSingleSelectEnum: "Ross",
      untitledMultipleSelectEnum: ["Guitar", "Drums"],
      titledSingleSelectEnum: "hero-2",
      titledMultipleSelectEnum: ["fish-3"],
      legacyTitledEnum: "pet-5",
    },
  });
});

test("a form is declined, in Japanese, on a phone in the dark", async ({ chat, open, app }) => {
  await askWith(chat, "trigger-elicitation-request");
  await expect(cardOf(chat.page)).toBeVisible();
  const other = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await other.goto(new URL(chat.page.url()).pathname);
  const card = other.page.getByRole("group", { name: /^everything からの質問/ });
  await expect(card.getByText("回答待ち", { exact: true })).toBeVisible();
  await expectAccessible(other.page);
  await expectNoSidewaysScroll(other.page);
  await card.getByRole("button", { name: "拒否" }).click();
  await expect(other.lastTurn.getByText(/User declined to provide/).first()).toBeVisible();
  await chat.page.reload();
  await chat.finished();
  await expect(chat.lastTurn.getByText(/User declined to provide/).first()).toBeVisible();
});

test("a page to visit is named and never opened by itself", async ({ chat, page }) => {
  await askWith(chat, "trigger-url-elicitation", {
    url: "https://login.example.com/consent?for=meguri",
    message: "Please consent.",
  });
  const card = page.getByRole("group", { name: /^everything asks you to open a page/ });
  await expect(card.getByText("The page belongs to login.example.com.")).toBeVisible();
  const link = card.getByRole("link", { name: "Open the page" });
  await expect(link).toHaveAttribute("href", "https://login.example.com/consent?for=meguri");
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await expectAccessible(page);
  await card.getByRole("button", { name: "I’ve opened it" }).click();
  await chat.finished();
  await expect(chat.toolLine("everything trigger-url-elicitation, done, ")).toBeVisible();
});

test("what a server asks waits beyond the life of its process, but its call does not: a person says what became of it", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig: { mcpServers: { everything: everythingOverStdio } } });
  await serversReady(app);
  const chat = await open(app);
  await askWith(chat, "trigger-elicitation-request");
  await expect(cardOf(chat.page)).toBeVisible();
  await app.kill9();
  await app.restart();
  await chat.page.reload();
  await expect(cardOf(chat.page)).toBeVisible();
  await cardOf(chat.page).getByRole("button", { name: "Decline" }).click();
  await expect(chat.card).toHaveAccessibleName(/^Did “/);
  await chat.card.getByRole("button", { name: "Continue without it" }).click();
  await chat.finished();
});

test("a conversation that is deleted while a server waits lets its call go", async ({ chat, app }) => {
  await askWith(chat, "trigger-elicitation-request");
  await expect(cardOf(chat.page)).toBeVisible();
  const path = new URL(chat.page.url()).pathname.replace("/c/", "/api/conversations/");
  await chat.goto("/settings");
  const cancelled = countFromNow(app, "everything", "→ notifications/cancelled");
  expect((await app.fetch(path, { method: "DELETE" })).ok).toBe(true);
  await expect.poll(cancelled).toBe(1);
});
