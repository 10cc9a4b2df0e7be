import type { Page } from "@playwright/test";
import { callTools, say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { ChatPage } from "../support/chat-page";
import { expectAccessible } from "../support/check-page";
import { expect, type ScriptedModel, serversReady, test } from "../support/test";

const list = (path: string) => callTools({ name: "filesystem__list_directory", args: { path } });

async function askAndLook(chat: ChatPage, model: ScriptedModel): Promise<void> {
  await serversReady(chat.app);
  model.script = [[say("First the folder."), list(chat.app.sandbox)], [say("It is empty.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look");
  await chat.finished();
}

const panelOf = (page: Page) => page.getByRole("group", { name: /^What if it had/ });

test("a result is edited with the keyboard alone, and the fork is a version that says where it comes from", async ({
  chat,
  page,
  model,
}) => {
  await askAndLook(chat, model);
  const line = chat.toolLine("filesystem list_directory, done");
  const panel = panelOf(page);
  await line.focus();
  await page.keyboard.press("f");
  await expect(panel.getByRole("textbox", { name: "Result of the call" })).toBeFocused();
  await expect(chat.loop(2)).toHaveAttribute("inert");
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  await expect(line).toBeFocused();

  await page.keyboard.press("f");
  await panel.getByRole("textbox", { name: "Result of the call" }).fill("[FILE] plan.md");
  await expect(panel.getByText("Nothing is called again.")).toBeVisible();
  // What could not be sent stays as it was typed.
  await page.route("**/api/runs/*/fork", (route) => route.abort(), { times: 1 });
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(panel.getByRole("alert")).toBeVisible();
  await expect(panel.getByRole("textbox", { name: "Result of the call" })).toHaveValue("[FILE] plan.md");

  model.script = [[say("There is a plan.")]];
  const before = model.requests.length;
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(chat.lastTurn.getByText("There is a plan.")).toBeVisible();
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await expect(chat.lastTurn.getByText("First the folder.")).toBeVisible();
    await expect(chat.lastTurn.getByText("2 / 2")).toBeVisible();
    await expect(chat.lastTurn.getByText(/^Forked at filesystem · list_directory in loop 1:/)).toContainText(
      "plan.md, edited by you at",
    );
    await expect(line.getByText(/edited by you$/)).toBeVisible();
  }
  expect(model.requests.length).toBe(before + 1);
  await expectAccessible(page);
  await chat.lastTurn.getByRole("button", { name: "Original" }).click();
  await expect(chat.lastTurn.getByText("It is empty.")).toBeVisible();
  await expect(chat.lastTurn.getByText(/^Forked at/)).toHaveCount(0);
});

test("arguments that do not fit are said at the field; those that do run, by the rules", async ({
  chat,
  page,
  model,
  app,
}) => {
  await askAndLook(chat, model);
  await chat.toolLine("filesystem list_directory, done").click();
  await chat.lastTurn.getByRole("button", { name: "Fork from here" }).click();
  const panel = panelOf(page);
  await panel.getByText("Arguments", { exact: true }).click();
  await panel.getByRole("button", { name: "Edit as JSON" }).click();
  const json = panel.getByRole("textbox", { name: "Arguments as JSON" });
  const go = panel.getByRole("button", { name: "Fork and go on" });
  await json.fill('{"path": ');
  await expect(go).toBeDisabled();
  await json.fill('{"paht": 5}');
  await expect(json).toHaveAttribute("aria-invalid", "true");
  await json.fill(JSON.stringify({ path: `${app.sandbox}/none` }));
  await expect(panel.getByText("Called anew, by your rules.")).toBeVisible();
  await panel.getByRole("button", { name: "Model: test-model" }).click();
  await page.getByRole("menuitemcheckbox", { name: /^vision-model/ }).click();
  model.script = [[say("There is no such folder.")]];
  await go.click();
  await expect(chat.lastTurn.getByText("There is no such folder.")).toBeVisible();
  await expect(chat.lastTurn.getByText(/^Forked at filesystem · list_directory in loop 1:/)).toContainText(
    "none",
  );
  expect(model.requests.map((request) => request.model)).toContain("vision-model");
});

test("the last words are edited on a phone in Japanese; no model is asked", async ({ open, app, model }) => {
  const chat = await open(app);
  await askAndLook(chat, model);
  const { pathname } = new URL(chat.page.url());
  const phone = await open(app, { viewport: { width: 390, height: 800 }, locale: "ja-JP" });
  const { page } = phone;
  await phone.goto(pathname);
  await page.getByRole("button", { name: "この文章から分岐" }).click();
  const words = page.getByRole("textbox", { name: "モデルの文章" });
  await words.fill("何もありません。");
  await expectAccessible(page);
  const before = model.requests.length;
  await page.getByRole("button", { name: /^分岐して続ける/ }).click();
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await expect(page.getByText("何もありません。")).toBeVisible();
    await expect(page.getByText(/^2 周目の文章で分岐/)).toBeVisible();
  }
  expect(model.requests.length).toBe(before);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
});

test("a run is forked from its page while it goes on; both name each other", async ({
  chat,
  page,
  model,
  app,
}) => {
  await serversReady(app);
  const end = Promise.withResolvers<void>();
  model.script = [[list(app.sandbox)], [say("Still "), until(end.promise), say("empty.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look");
  await expect(chat.lastTurn.getByText("Still")).toBeVisible();
  const { pathname } = new URL(page.url());
  const { runs } = await apiOf(app).conversation(pathname.split("/").at(-1) ?? "");
  const [first] = runs.map(({ id }) => id);
  await chat.goto(`/runs/${first}`);
  await page.getByRole("button", { name: /^filesystem list_directory/ }).click();
  await page.getByRole("button", { name: "Fork from here" }).click();
  const panel = panelOf(page);
  await panel.getByRole("textbox", { name: "Result of the call" }).fill("[FILE] plan.md");
  await expectAccessible(page);
  model.script = [[say("There is a plan.")]];
  await panel.getByRole("button", { name: "Fork and go on" }).click();
  await expect(chat.lastTurn.getByText("There is a plan.")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(pathname);
  await expect(chat.lastTurn.getByText(/^Forked at filesystem · list_directory in loop 1:/)).toBeVisible();
  end.resolve();
  await chat.goto(`/runs/${first}`);
  await expect(page.getByText("1 fork:")).toBeVisible();
  await expect(page.getByText("test-model · completed")).toBeVisible();
  await page.getByText("1 fork:").locator("..").getByRole("link").click();
  await expect(page.getByText(/^Forked from run/)).toBeVisible();
  await page
    .getByText(/^Forked from run/)
    .getByRole("link")
    .click();
  await expect(page.getByText("1 fork:")).toBeVisible();
});

test("a workflow is forked at the words of an agent in its middle, and its agents fold on the page of the run", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("1. Look.")], [say("Looked.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await expect(page.getByRole("button", { name: "Agent", exact: true })).toBeVisible();
  await chat.ask("@plan Look round");
  await chat.finished();
  const planner = chat.lastTurn.getByRole("group", { name: "planner" });
  await planner.getByRole("button", { name: "Fork from these words" }).click();
  const panel = panelOf(page);
  await panel.getByRole("textbox", { name: "Words of the model" }).fill("1. Do nothing.");
  await expect(panel.getByText("The agents after planner, by")).toBeVisible();
  await expectAccessible(page);
  model.script = [[say("Done nothing.")]];
  await page.keyboard.press("ControlOrMeta+Enter");
  for (const reload of [false, true]) {
    if (reload) await page.reload();
    await expect(chat.lastTurn.getByText("Done nothing.")).toBeVisible();
    await expect(planner.getByText("Do nothing.")).toBeVisible();
    await expect(chat.lastTurn.getByText(/^Forked at the words of loop 1, edited by you/)).toBeVisible();
  }

  await chat.lastTurn.getByRole("link", { name: "Open run" }).click();
  const steps = page.locator("[data-step]");
  await expect(steps).toHaveCount(2);
  await expect(steps.first().getByText("kept")).toBeVisible();
  const head = page.getByRole("button", { name: /^planner/ });
  await head.press("Enter");
  await expect(head).toHaveAttribute("aria-expanded", "false");
  await expect(steps).toHaveCount(1);
  await expectAccessible(page);
  // The step whose detail is open is never folded away.
  await head.press("Enter");
  await steps.first().press("Enter");
  await head.press("Enter");
  await expect(steps).toHaveCount(2);
});
