import { say, until } from "@/lib/providers/testing/steps";
import { freePort } from "@/lib/store/testing/free-port";
import type { ChatPage } from "../support/chat-page";
import { layLine } from "../support/cut-line";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at} `).join("");

/** An answer that stops half-way until the test lets it go on. */
function halves() {
  const gate = Promise.withResolvers<void>();
  const whole = numbers(1, 60).trim();
  return {
    script: [[say(numbers(1, 30)), until(gate.promise), say(numbers(31, 60).trim())]],
    goOn: gate.resolve,
    whole,
  };
}

const answerOf = (chat: ChatPage) => chat.lastTurn.locator("[data-growing]");

test("a reload in mid-answer goes on and ends with every word once", async ({ chat, page, model }) => {
  const { script, goOn, whole } = halves();
  model.script = script;
  await chat.chooseModel("test-model");
  await chat.ask("Count, please");
  await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  await page.reload();
  await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  await expect(chat.stop).toBeVisible();
  // A button that is hidden until its question has the pointer is so also while it cannot be used.
  const edit = chat.lastTurn.getByRole("button", { name: "Edit question" });
  await expect(edit).toBeDisabled();
  await expect(edit).toHaveCSS("opacity", "0");
  goOn();
  await chat.finished();
  await expect(answerOf(chat)).toHaveText(whole);
  const before = await chat.thread();
  await page.reload();
  await chat.finished();
  await expect.poll(() => chat.thread()).toEqual(before);
});

test("reloading again and again while words come loses and doubles none", async ({ chat, page }) => {
  await chat.ask("count to 60");
  for (const number of [5, 20, 35]) {
    await expect(answerOf(chat)).toContainText(` ${number} `);
    await page.reload();
  }
  await chat.finished();
  await expect(answerOf(chat)).toHaveText(`${numbers(1, 60).trim()}.`);
});

test("a second tab shows the same answer going on, and its Stop ends both", async ({ chat, page, model }) => {
  const { script } = halves();
  model.script = script;
  await chat.chooseModel("test-model");
  await chat.ask("Count in two tabs");
  await expect(answerOf(chat)).toContainText("30");
  const other = chat.sibling(await page.context().newPage());
  await other.page.goto(page.url());
  await expect(answerOf(other)).toHaveText(numbers(1, 30).trim());
  await other.stop.click();
  for (const tab of [chat, other]) {
    await tab.finished();
    await expect(tab.lastTurn.getByText("You stopped this answer.")).toBeVisible();
    await expect(answerOf(tab)).toHaveText(numbers(1, 30).trim());
  }
});

test("a question asked in one tab is answered live in the other", async ({ chat, page, model }) => {
  const path = await chat.askAnew("count to 2");
  const other = chat.sibling(await page.context().newPage());
  await other.goto(path);
  await other.finished();
  const { script, goOn, whole } = halves();
  model.script = script;
  await chat.chooseModel("test-model");
  await chat.ask("And now the rest");
  await expect(other.turns).toHaveCount(2);
  await expect(answerOf(other)).toHaveText(numbers(1, 30).trim());
  goOn();
  await other.finished();
  await expect(answerOf(other)).toHaveText(whole);
});

for (const how of ["the button", "Escape"] as const) {
  test(`Stop by ${how} ends the answer, keeps its text and says what going on does`, async ({
    chat,
    page,
    model,
  }) => {
    model.script = (_, turn) => (turn === 0 ? halves().script[0] : [say("Here is the rest.")]) ?? [];
    await chat.chooseModel("test-model");
    await chat.ask("Count until I say stop");
    await expect(answerOf(chat)).toContainText("30");
    if (how === "Escape") await page.keyboard.press("Escape");
    else await chat.stop.click();
    await expect(chat.lastTurn.getByText("You stopped this answer.")).toBeVisible();
    await expect(chat.message).toBeFocused();
    expect(await model.requests.at(-1)?.ended).toBe("client gone");
    await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
    await chat.finished();
    await page.reload();
    await expect(chat.lastTurn.getByText("You stopped this answer.")).toBeVisible();
    await expect(chat.lastTurn.getByText(/“Continue” asks the model to write this part again/)).toBeVisible();
    await chat.lastTurn.getByRole("button", { name: "Continue" }).click();
    await expect(chat.lastTurn.getByText("Here is the rest.")).toBeVisible();
    await chat.finished();
    await expect(chat.lastTurn.getByText("You stopped this answer.")).toHaveCount(0);
    await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
    await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  });
}

test("closing the tab does not stop the answer", async ({ chat, page, model }) => {
  const { script, goOn, whole } = halves();
  model.script = script;
  await chat.chooseModel("test-model");
  await chat.ask("Go on without me");
  await expect(answerOf(chat)).toContainText("30");
  const url = page.url();
  const context = page.context();
  await page.close();
  goOn();
  expect(await model.requests.at(-1)?.ended).toBe("finished");
  const again = chat.sibling(await context.newPage());
  await again.page.goto(url);
  await again.finished();
  await expect(answerOf(again)).toHaveText(whole);
});

test("after kill -9 the page says that it was interrupted, with the text so far, and Resume goes on", async ({
  startWithModel,
  open,
}) => {
  const script = [halves().script[0] ?? [], [say("The whole answer.")]];
  const { app } = await startWithModel(script, noServers);
  const chat = await open(app);
  await chat.ask("Count and be killed");
  await expect(answerOf(chat)).toContainText("30");
  await app.kill9();
  await expect(
    chat.page.getByText(/^No connection to Meguri\. Reconnecting; if it is still running/),
  ).toBeVisible();
  await app.restart();
  // Without a reload: the page finds back by itself.
  await expect(chat.lastTurn.getByText(/Meguri stopped mid-answer/)).toBeVisible({
    timeout: 30_000,
  });
  await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  await chat.page.reload();
  await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  await expect(chat.conversation(/^interrupted Count and be killed/)).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Resume" }).click();
  await expect(chat.lastTurn.getByText("The whole answer.")).toBeVisible();
  await chat.finished();
});

test("a cut line is said, and nothing is lost when it comes back", async ({ startWithModel, open }) => {
  const line = await layLine();
  const port = await freePort();
  const { script, goOn, whole } = halves();
  const { app, model } = await startWithModel(script, {
    ...noServers,
    env: { PUBLIC_URL: line.url, PORT: String(port) },
  });
  line.to(port);
  const chat = await open(app);
  await chat.ask("Count over a bad line");
  await expect(answerOf(chat)).toContainText("30");
  line.cut();
  await expect(
    chat.page.getByText(/^No connection to Meguri\. Reconnecting; if it is still running/),
  ).toBeVisible();
  goOn();
  expect(await model.requests.at(-1)?.ended).toBe("finished");
  await expect(answerOf(chat)).toHaveText(numbers(1, 30).trim());
  line.mend();
  await chat.finished();
  await expect(answerOf(chat)).toHaveText(whole);
  await expect(chat.page.getByText("No connection to Meguri")).toHaveCount(0);
  await line.close();
});

test("a model that fails is told in words, stays when the next is asked, and Try again asks it anew", async ({
  chat,
  page,
  model,
}) => {
  model.script = (_, turn) =>
    turn === 0
      ? [{ type: "fail", status: 400, message: "The model test-model is on holiday." }]
      : [say("Back again.")];
  await chat.chooseModel("test-model");
  await chat.ask("Are you there?");
  await expect(chat.lastTurn.getByText(/^Couldn’t answer: .*on holiday/)).toBeVisible();
  // The next question leaves it where it is.
  await chat.ask("And now?");
  await expect(chat.lastTurn.getByText("Back again.")).toBeVisible();
  await chat.finished();
  await page.reload();
  await expect(chat.turns).toHaveCount(2);
  await expect(chat.turns.first().getByText(/^Couldn’t answer: .*on holiday/)).toBeVisible();
  await chat.turns.first().getByRole("button", { name: "Try again" }).click();
  await expect(chat.turns).toHaveCount(1);
  await chat.finished();
  await expect(chat.lastTurn.getByText("Back again.")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.turns).toHaveCount(2);
});

test("a second answer that fails leaves the first within reach, also after a reload", async ({
  chat,
  page,
  model,
}) => {
  model.script = (_, turn) =>
    turn === 0 ? [say("The first answer.")] : [{ type: "fail", status: 400, message: "No more today." }];
  await chat.chooseModel("test-model");
  await chat.ask("Answer me twice");
  await chat.finished();
  await chat.lastTurn.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.lastTurn.getByText(/No more today/)).toBeVisible();
  await page.reload();
  await expect(chat.lastTurn.getByText(/No more today/)).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("The first answer.")).toBeVisible();
});
