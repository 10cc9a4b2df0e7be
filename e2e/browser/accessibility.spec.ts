import type { ChatPage } from "../support/chat-page";
import { expectAccessible, expectNoSidewaysScroll, tabTo } from "../support/check-page";
import { expect, test } from "../support/test";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

const looks = { "in the light and in the dark": {}, "on a phone": phone };

const settings = ["models", "mcp/filesystem", "assistants", "agents", "rules", "shares", "data", "look"];

async function send(chat: ChatPage, text: string): Promise<void> {
  await chat.message.fill(text);
  await chat.page.getByRole("button", { name: "Send" }).click();
}

for (const [name, look] of Object.entries(looks)) {
  test(`every screen ${name} is without a fault for axe, and none scrolls sideways`, async ({
    open,
    app,
  }) => {
    test.slow();
    const isPhone = "isMobile" in look;
    const chat = await open(app, { ...look, colorScheme: "light" });
    const { page } = chat;
    await chat.goto("/");
    const check = async () => {
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      if (isPhone) return;
      await page.emulateMedia({ colorScheme: "dark" });
      await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
      await expectAccessible(page, "colours");
      await expectNoSidewaysScroll(page);
      await page.emulateMedia({ colorScheme: "light" });
      await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    };
    await expect(page.getByText(/servers are ready/)).toBeVisible();
    await check();

    await send(chat, "list the files");
    await chat.finished();
    await chat.toolLine("filesystem list_directory, done").click();
    await send(chat, "show markdown");
    await chat.finished();
    await check();

    await send(chat, "Write a note called axe.md saying hello");
    await expect(chat.card).toBeVisible();
    await check();
    await chat.card.getByRole("button", { name: "Deny" }).click();
    await chat.finished();

    if (isPhone) {
      await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Share" }).click();
    } else await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Create link" })).toBeEnabled();
    await check();
    await dialog.getByRole("button", { name: "Create link" }).click();
    const url = await dialog.getByRole("textbox").inputValue();
    await check();

    await page.goto(url);
    await check();
    for (const path of settings) {
      await chat.goto(`/settings/${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      if (path.startsWith("mcp"))
        await expect(page.getByText("read_text_file", { exact: true })).toBeVisible();
      if (path === "shares") await expect(page.getByRole("list").last()).toBeVisible();
      await check();
    }
    await chat.goto("/settings/mcp");
    await page.getByRole("button", { name: "Add a server" }).click();
    await expect(page.getByRole("dialog", { name: "Add a server" })).toBeVisible();
    await check();
    await chat.goto("/c/no-such-conversation");
    await expect(page.getByRole("heading", { name: "Conversation not found" })).toBeVisible();
    await check();
  });
}

test("with colours that the system chooses, a switch shows where it stands and a menu what the arrows reached", async ({
  open,
  app,
}) => {
  const { page } = await open(app, { forcedColors: "active" });
  await page.goto(app.baseUrl);
  await page.getByRole("button", { name: /^Model:/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator("[role^=menuitem][data-highlighted]")).toHaveCSS("outline-style", "solid");
  await page.keyboard.press("Escape");

  await page.goto(`${app.baseUrl}/settings/mcp`);
  const grounds = await page
    .getByRole("switch", { name: "filesystem on", exact: true })
    .evaluate((element) => [
      getComputedStyle(element).backgroundColor,
      getComputedStyle(element, "::after").backgroundColor,
    ]);
  expect(grounds[0]).not.toBe(grounds[1]);
});

test("everything is reached by the keyboard alone, and the focus is always seen", async ({ chat, page }) => {
  await chat.goto("/");
  await expect(chat.message).toBeFocused();
  await page.keyboard.type("list the files");
  await page.keyboard.press("Enter");
  await chat.finished();
  await expect(chat.message).toBeFocused();

  const line = chat.toolLine("filesystem list_directory, done");
  await tabTo(line, "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(line).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("Space");
  await expect(line).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowUp");
  await expect(line).not.toBeFocused();

  const share = page.getByRole("button", { name: "Share", exact: true });
  await tabTo(share, "Shift+Tab");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Share conversation" });
  await expect(dialog.getByRole("button", { name: "Create link" })).toBeEnabled();
  await tabTo(dialog.getByRole("button", { name: "Create link" }));
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(share).toBeFocused();

  await tabTo(page.getByRole("link", { name: "Settings" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/settings\/\w+$/);
  await tabTo(page.getByRole("link", { name: "MCP servers" }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "MCP servers" })).toBeVisible();
  await tabTo(page.getByRole("button", { name: "Add a server" }));
});

test("a menu that is closed and pressed again in the same moment is open", async ({ chat, page }) => {
  await chat.goto("/");
  const trigger = page.getByRole("button", { name: /^Model:/ });
  await trigger.click();
  await expect(page.getByRole("menuitemcheckbox").first()).toBeVisible();
  // Closing gives the focus back after a timer; a press before it must not lose the menu that it opens.
  await trigger.evaluate(async (button) => {
    const how = { bubbles: true, cancelable: true };
    document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { ...how, key: "Escape" }));
    await Promise.resolve();
    button.dispatchEvent(new PointerEvent("pointerdown", { ...how, pointerType: "mouse" }));
    await new Promise((done) => setTimeout(done, 50));
  });
  await expect(page.getByRole("menu")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(page.getByRole("menuitemcheckbox").first()).toBeFocused();
});

test("a screen reader hears that an answer has ended, and no more", async ({ chat, page }) => {
  await chat.ask("count to 3");
  await expect(page.locator("[aria-live=polite]").getByText("answer finished")).toBeAttached();
});

test("on a phone the list is a drawer, the card's answers are at the thumb, and fingers find their targets", async ({
  open,
  app,
}) => {
  const chat = await open(app, phone);
  const { page } = chat;
  await chat.goto("/");
  await expect(chat.message).toBeInViewport();
  await expect(chat.sidebar).toHaveCount(0);
  await send(chat, "count to 2 on a phone");
  await chat.finished();
  await page.getByRole("button", { name: "Show sidebar" }).click();
  const drawer = page.getByRole("dialog", { name: "Conversations" });
  await expect(drawer.getByRole("link", { name: /^count to 2 on a phone/ }).first()).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await drawer.getByRole("link", { name: "Settings" }).click();
  await expect(page).toHaveURL(/\/settings\/\w+$/);
  await expect(drawer).toHaveCount(0);
  await page.goBack();

  await send(chat, "Write a note called thumb.md saying hello");
  const allow = chat.card.getByRole("button", { name: "Allow once" });
  await expect(allow).toBeInViewport({ ratio: 1 });
  for (const button of await chat.card.getByRole("button").all())
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await chat.card.getByRole("button", { name: "Deny" }).tap();
  await chat.finished();
  await expect(chat.message).toBeInViewport();
  const line = chat.toolLine("filesystem write_file, denied");
  await line.tap();
  await expect(line).toHaveAttribute("aria-expanded", "true");
  await expectNoSidewaysScroll(page);
});
