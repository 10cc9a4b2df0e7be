import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const list = "Suggestions";

test("a prompt without arguments is put into the message field", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("/simple");
  await expect(page.getByRole("listbox", { name: list })).toBeVisible();
  await expectAccessible(page);
  await chat.message.press("Enter");
  await expect(chat.message).toHaveValue("This is a simple prompt without arguments.");
});

test("a prompt asks for its arguments, completes them in the light of the others, and says what is wrong", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  await chat.message.fill("/completable");
  await page.getByRole("option", { name: /completable-prompt/ }).click();
  const form = page.getByRole("form", { name: /everything · Team Management/ });
  await form.getByLabel("department").fill("Eng");
  await expect(form.locator("option[value=Engineering]")).toHaveCount(1);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await form.getByLabel("department").fill("Engineering");
  await form.getByLabel("name").fill("A");
  await expect(form.locator("option[value=Alice]")).toHaveCount(1);
  await form.getByLabel("name").fill("Alice");
  await form.getByRole("button", { name: "Insert" }).click();
  await expect(chat.message).toHaveValue(/promote Alice to the head of the Engineering team/);
  await expect(chat.message).toBeFocused();
});

test("a prompt with an embedded resource brings its text along", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("/resource-prompt");
  await expect(page.getByRole("option", { name: /resource-prompt/ })).toBeVisible();
  await chat.message.press("Enter");
  const form = page.getByRole("form", { name: /everything/ });
  await form.getByLabel("resourceType").fill("Text");
  await form.getByLabel("resourceId").fill("1");
  await form.getByRole("button", { name: "Insert" }).click();
  await expect(chat.message).toHaveValue(/This is a plaintext resource/);
});

test("a resource is attached with #, and reaches the model", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("What does it say? #architecture");
  await page.getByRole("option", { name: /architecture\.md/ }).click();
  await expect(chat.message).toHaveValue("What does it say?");
  const attached = page.getByRole("list", { name: "Files of this message" });
  await expect(attached.getByText("architecture.md")).toBeVisible();
  await expectAccessible(page);
  await chat.message.press("Enter");
  await chat.finished();
  await expect(chat.lastTurn.getByText("architecture.md").first()).toBeVisible();
});

test("a template is filled in, in Japanese; what cannot be read says so and loses nothing", async ({
  open,
  app,
}) => {
  const { page } = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await page.goto(`${app.baseUrl}/`);
  const message = page.getByRole("textbox", { name: "メッセージ" });
  await message.fill("#Dynamic");
  await page.getByRole("option", { name: /resource\/dynamic\/text/ }).click();
  const form = page.getByRole("form", { name: /everything/ });
  await form.getByLabel("resourceId").fill("none");
  await form.getByRole("button", { name: "添付" }).click();
  await expect(form.getByRole("alert")).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await form.getByLabel("resourceId").fill("2");
  await form.getByRole("button", { name: "添付" }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByText("2.txt")).toBeVisible();
  await expectAccessible(page);
});

test("@ holds a conversation to a server", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("@every");
  await page.getByRole("option", { name: /^@everything/ }).click();
  await expect(chat.message).toHaveValue("");
  await expect(page.getByRole("button", { name: /^1 server,/ })).toBeVisible();
});

test("a list of suggestions gives way to a menu of the same box", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("@");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list).toBeVisible();
  await page.getByRole("button", { name: /^Model:/ }).click();
  await expect(page.getByRole("menu")).toBeVisible();
  await expect(list).toBeHidden();
});
