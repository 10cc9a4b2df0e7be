import type { Page } from "@playwright/test";
import { callTools, say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, type ScriptedModel, serversReady, test } from "../support/test";

/** The model asks for a folder, then writes its answer; each step when the test says so. Whatever comes later it answers at once. */
function scriptHeld(model: ScriptedModel) {
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const look = callTools({ name: "filesystem__list_directory", args: { path: "." } });
  let asked = 0;
  model.script = ({ lastUserText }) => {
    asked++;
    if (asked === 1) return [say("I look. "), { type: "until", done: first.promise }, look];
    if (asked === 2) return [say("This is "), { type: "until", done: second.promise }, say("the answer.")];
    return [say(`Answer to: ${lastUserText}`)];
  };
  return { look: first.resolve, answer: second.resolve };
}

const lines = (page: Page, name = "Said meanwhile") => page.getByRole("list", { name }).getByRole("listitem");

test("what is written meanwhile goes into the answer or follows it, in two browsers and after a reload", async ({
  chat,
  page,
  app,
  open,
  model,
}) => {
  const held = scriptHeld(model);
  await serversReady(app);
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What is in the folder?");
  await expect(page).toHaveURL(/\/c\/[\w-]{10,}$/);
  await expect(chat.loop(1).getByText("I look.")).toBeVisible();
  const other = await open(app);
  await other.goto(new URL(page.url()).pathname);
  await expect(other.loop(1).getByText("I look.")).toBeVisible();

  await chat.message.fill("Leave out the drafts.");
  await expect(page.getByRole("radio", { name: "After it", exact: false })).toBeChecked();
  await expect(page.getByText("Asked when this answer is done")).toBeVisible();
  await chat.message.press("Control+Enter");
  await expect(lines(page)).toHaveText([/Into this answer.*Leave out the drafts\./]);
  await expect(chat.message).toHaveValue("");
  await expect(chat.message).toBeFocused();
  for (const text of ["Now in French.", "Which one is oldest?"]) {
    await chat.message.fill(text);
    await chat.message.press("Enter");
  }
  // The last choice is what the button says; pressing another one leaves the focus in the field.
  await chat.message.fill("Never mind.");
  await page.getByRole("radio", { name: "Into this answer" }).click();
  await expect(chat.message).toBeFocused();
  await page.getByRole("button", { name: "Into this answer", exact: true }).click();
  await expect(lines(page)).toHaveText([/drafts/, /Never mind/, /After it.*French/, /oldest/]);
  await expectAccessible(page);
  await expect(lines(other.page)).toHaveText([/drafts/, /Never mind/, /After it.*French/, /oldest/]);

  await lines(other.page).nth(1).getByRole("button", { name: "Take back" }).click();
  await lines(other.page).nth(2).getByRole("button", { name: "Move" }).press("Alt+ArrowUp");
  await expect(lines(other.page)).toHaveText([/drafts/, /oldest/, /French/]);
  await expect(lines(other.page).nth(1).getByRole("button", { name: "Move" })).toBeFocused();
  await page.reload();
  await expect(lines(page)).toHaveText([/drafts/, /oldest/, /French/]);
  await lines(page).nth(2).getByRole("button", { name: "Change" }).click();
  await page.getByRole("textbox", { name: "Change" }).fill("Now in German.");
  await page.keyboard.press("Enter");
  await expect(lines(page)).toHaveText([/drafts/, /oldest/, /German/]);

  held.look();
  for (const each of [chat, other]) {
    await expect(each.lastTurn.getByText("Leave out the drafts.")).toBeVisible();
    await expect(each.lastTurn.getByText("said while loop 1 ran")).toBeVisible();
    await expect(lines(each.page)).toHaveText([/oldest/, /German/]);
  }
  held.answer();
  for (const each of [chat, other]) {
    await expect(each.turns).toHaveCount(3);
    await expect(each.lastTurn.getByText("Answer to: Now in German.")).toBeVisible();
    await expect(lines(each.page)).toHaveCount(0);
  }
  await chat.finished();
  const seen = await chat.thread();
  expect(seen[0]).toMatch(/Leave out the drafts\.[\s\S]*said while loop 1 ran[\s\S]*This is the answer\./);
  expect(seen[1]).toContain("Answer to: Which one is oldest?");
  await page.reload();
  await chat.finished();
  expect((await chat.thread())[0]).toMatch(
    /Leave out the drafts\.[\s\S]*said while loop 1 ran[\s\S]*This is/,
  );
});

test("what is moved or changed is never folded, and in a low window the buttons below stay in sight", async ({
  chat,
  page,
  model,
}) => {
  const held = scriptHeld(model);
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("What is in the folder?");
  await expect(chat.loop(1).getByText("I look.")).toBeVisible();
  const queue = async (text: string) => {
    await chat.message.fill(text);
    await chat.message.press("Enter");
    await expect(chat.message).toHaveValue("");
  };
  for (const text of ["one", "two", "three", "four", "five"]) await queue(text);
  await expect(lines(page)).toHaveText([/one/, /two/, /three/, /four/, /five/]);
  await lines(page).nth(4).getByRole("button", { name: "Change" }).click();
  const field = page.getByRole("textbox", { name: "Change" });
  await field.fill("being changed");
  await queue("six");
  await expect(lines(page)).toHaveCount(6);
  await field.press("Escape");
  await expect(lines(page)).toHaveText([/one/, /two/, /three/, /four/]);
  await expect(page.getByRole("button", { name: "and 2 more" })).toBeVisible();
  await lines(page).nth(3).getByRole("button", { name: "Move" }).press("Alt+ArrowDown");
  await expect(lines(page)).toHaveText([/one/, /two/, /three/, /five/, /four/, /six/]);
  await expect(lines(page).nth(4).getByRole("button", { name: "Move" })).toBeFocused();

  await chat.message.fill("a line\n".repeat(30));
  for (const size of [
    { width: 640, height: 400 },
    { width: 390, height: 480 },
    { width: 1280, height: 600 },
  ]) {
    await page.setViewportSize(size);
    await expect(chat.stop).toBeInViewport({ ratio: 1 });
    await expect(chat.message).toBeInViewport({ ratio: 1 });
  }
  held.look();
  held.answer();
});

test("while a question waits, what is written denies nothing, and Ctrl+Enter in the card stays the card's", async ({
  chat,
  page,
  model,
}) => {
  const write = callTools({ name: "filesystem__write_file", args: { path: "steered.md", content: "x" } });
  // Not by counting: an answer of the test before may ask this model once more.
  model.script = ({ lastUserText, toolResults }) =>
    lastUserText === "Write it down." && toolResults.length === 0
      ? [write]
      : [say(`Answer to: ${lastUserText}`)];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Write it down.");
  await expect(chat.card).toBeFocused();
  await chat.message.fill("In capitals, please.");
  await expect(page.getByText("Asked when this answer is done")).toBeVisible();
  await chat.message.press("Control+Enter");
  await chat.message.fill("And what next?");
  await chat.message.press("Enter");
  await expect(lines(page)).toHaveText([/capitals/, /what next/]);
  await expect(chat.card).toBeVisible();
  await chat.card.focus();
  await page.keyboard.press("Control+Enter");
  await expect(chat.turns).toHaveCount(2);
  await expect(chat.turns.first().getByText("In capitals, please.", { exact: true })).toBeVisible();
  await expect(chat.toolLine("filesystem write_file, done", chat.turns.first())).toBeVisible();
  await expect(chat.lastTurn.getByText("Answer to: And what next?")).toBeVisible();
});

test("on a phone, in Japanese: each line opens its actions, stopping keeps them, and stop and ask asks at once", async ({
  open,
  app,
  model,
}) => {
  scriptHeld(model);
  const chat = await open(app, {
    ...{ locale: "ja-JP", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  const { page } = chat;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const message = page.getByRole("textbox", { name: "メッセージ" });
  const meanwhile = lines(page, "回答中に書いたメッセージ");
  await chat.goto("/");
  await page.getByRole("button", { name: /^モデル/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await message.fill("何がある？");
  await button("送信").click();
  await expect(page.getByText("I look.")).toBeVisible();
  for (const text of ["下書きは除いて", "次は英語で", "いちばん古いのは？"]) {
    await message.fill(text);
    await button("あとで聞く").click();
  }
  await page.getByRole("button", { name: "「下書きは除いて」の操作" }).click();
  await page.getByRole("menuitem", { name: "この回答の途中に入れる" }).click();
  await expect(meanwhile).toHaveText([/この回答の途中で.*下書き/, /回答のあとに.*英語/, /古い/]);
  await message.fill("やめて、数えて");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await button("停止").click();
  await expect(meanwhile).toHaveText([/まだ聞いていません.*下書き/, /英語/, /古い/]);
  await page.getByRole("button", { name: "「いちばん古いのは？」の操作" }).click();
  await page.getByRole("menuitem", { name: "今すぐ聞く" }).click();
  await expect(chat.turns).toHaveCount(2);
  // This answer is held as well; the others wait behind it.
  await expect(meanwhile).toHaveText([/下書き/, /英語/]);
  await page.getByRole("radio", { name: "止めて、これを聞く" }).click();
  await button("止めて聞く").click();
  await expect(page.getByText("Answer to: やめて、数えて")).toBeVisible();
  await expect(chat.turns).toHaveCount(5);
  await expect(page.getByText("Answer to: 次は英語で")).toBeVisible();
});
