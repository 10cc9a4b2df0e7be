import { expect, test } from "../support/test";

test("an example prompt runs real tools, and a reload shows exactly the same thread", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  await expect(page.getByRole("heading", { name: "Where shall we start?" })).toBeVisible();
  await expect(page.getByText("You approve every change first.")).toBeVisible();
  await page.getByRole("button", { name: /List the files in my sandbox/ }).click();
  await expect(chat.message).toHaveValue("List the files in my sandbox");
  await expect(chat.message).toBeFocused();
  await chat.message.press("Enter");

  await expect(page).toHaveURL(/\/c\/[\w-]+$/);
  await chat.finished();
  await expect(chat.message).toHaveValue("");
  for (const number of [1, 2, 3]) {
    await expect(chat.loop(number)).toBeVisible();
    await expect(chat.loop(number).getByRole("img", { name: `loop ${number}, finished` })).toBeVisible();
  }
  await expect(chat.toolLine("filesystem list_allowed_directories, done, ")).toBeVisible();
  const line = chat.toolLine("filesystem list_directory, done, ");
  await expect(line).toHaveAttribute("aria-expanded", "false");
  await line.click();
  await expect(line).toHaveAttribute("aria-expanded", "true");
  const result = chat.lastTurn.locator("pre").getByText("[FILE] welcome.md");
  await expect(result).toBeVisible();
  await expect(chat.lastTurn.getByRole("term").getByText("path")).toBeVisible();
  await expect(chat.lastTurn.getByRole("definition").getByText(chat.app.sandbox)).toBeVisible();
  await line.click();
  await expect(result).toHaveCount(0);
  await expect(chat.lastTurn.getByRole("listitem").getByText("welcome.md")).toBeVisible();

  const link = chat.conversation("List the files in my sandbox").first();
  await expect(link).toHaveAttribute("aria-current", "page");
  await expect(page).toHaveTitle(/^List the files in my sandbox · Meguri$/);
  const before = await chat.thread();
  await page.reload();
  await chat.finished();
  await expect.poll(() => chat.thread()).toEqual(before);
});

test("a first question is kept though the page can no longer fetch what reads its answer", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  await expect(page.getByText("You approve every change first.")).toBeVisible();
  // As after an update: what belongs to the page that was opened is gone until it is opened again.
  await page.route("**/_next/static/chunks/*.js", (route) => route.abort());
  await chat.message.fill("count to 3");
  await chat.message.press("Enter");
  await expect(
    page.getByRole("alert").filter({ hasText: "A part of this page could not be loaded." }),
  ).toBeVisible();
  await expect(chat.message).toHaveValue("count to 3");
  await page.unrouteAll();
  await page.reload();
  await expect(chat.message).toHaveValue("count to 3");
  await chat.message.press("Enter");
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
});

test("an answer can be copied, given again beside the first, and asked differently", async ({
  chat,
  page,
}) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.ask("count to 3");
  await chat.finished();
  await chat.lastTurn.getByRole("button", { name: "Copy answer" }).click();
  await expect(chat.lastTurn.getByRole("button", { name: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("1 2 3.");

  await chat.lastTurn.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.lastTurn.getByText("2 / 2")).toBeVisible();
  await chat.finished();
  await expect(chat.lastTurn.getByText("1 2 3.")).toHaveCount(1);
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("1 / 2")).toBeVisible();
  await expect(chat.lastTurn.getByRole("button", { name: "Previous version" })).toBeDisabled();
  await chat.lastTurn.getByRole("button", { name: "Next version" }).click();
  await expect(chat.lastTurn.getByText("2 / 2")).toBeVisible();

  await chat.lastTurn.getByRole("button", { name: "Edit question" }).click();
  const field = chat.lastTurn.getByRole("textbox", { name: "Edit question" });
  await expect(field).toHaveValue("count to 3");
  await field.fill("count to 4");
  await field.press("Shift+Enter");
  await expect(field).toHaveValue("count to 4\n");
  await field.press("Enter");
  await chat.finished();
  await expect(chat.turns).toHaveCount(1);
  await expect(chat.lastTurn.getByText("1 2 3 4.")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
  await expect(chat.lastTurn.getByText("1 2 3 4.")).toHaveCount(0);
  await page.reload();
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
});

test("an image that a tool gives is shown from the answer itself", async ({ chat }) => {
  await chat.ask("/tool everything__get-tiny-image {}");
  await chat.finished();
  await chat.toolLine("everything get-tiny-image, done, .*1 image").click();
  const image = chat.lastTurn.getByRole("img", { name: "Image from the tool" });
  await expect(image).toHaveAttribute("src", /^data:image\/png;base64,/);
  expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBeGreaterThan(0);
});

test("a tool that fails says why under its line, and the answer goes on", async ({ chat }) => {
  await chat.ask("read nowhere.md");
  await chat.finished();
  await expect(chat.toolLine("filesystem read_text_file, failed, ")).toBeVisible();
  await expect(
    chat.lastTurn.getByText(/^Failed: .*nowhere\.md.* The model was told and continued\.$/),
  ).toBeVisible();
  await expect(chat.lastTurn.getByText("filesystem__read_text_file failed:")).toBeVisible();
});

test("several calls of one turn stand in the order they were asked for", async ({ chat }) => {
  await chat.ask("/tool memory__read_graph {}\n/tool filesystem__list_allowed_directories {}");
  await chat.finished();
  await expect(chat.loop(1).getByRole("button", { name: /, done, / })).toHaveText([
    /^memory.*read_graph/,
    /^filesystem.*list_allowed_directories/,
  ]);
});
