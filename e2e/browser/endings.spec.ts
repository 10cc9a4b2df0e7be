import { callTools, cut, fail, finish, say } from "@/lib/providers/testing/steps";
import { expectAccessible } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

test.beforeEach(async ({ chat }) => {
  await chat.goto("/");
  await chat.chooseModel("test-model");
});

test("an answer at its limit of length keeps its text, says so, and goes on", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("Once upon a time"), finish("length")], [say("there was an end.")]];
  await chat.ask("Tell a story");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Once upon a time")).toBeVisible();
  await expect(chat.lastTurn.getByText(/reached the model’s output limit and was cut off/)).toBeVisible();
  await expectAccessible(page);
  await chat.lastTurn.getByRole("button", { name: "Continue" }).click();
  await expect(chat.lastTurn.getByText("there was an end.")).toBeVisible();
  await chat.finished();
  await expect(chat.lastTurn.getByText("Once upon a time")).toBeVisible();
  await expect(chat.lastTurn.getByText(/was cut off/)).toHaveCount(0);
  // The button that was pressed is gone; one goes on where one writes.
  await expect(chat.message).toBeFocused();
});

test("the limit of loops is named, and going on starts it anew", async ({ chat, app, page, model }) => {
  await serversReady(app);
  const look = (at: number) => [
    callTools({ name: "filesystem__list_directory", args: { path: app.sandbox + "/.".repeat(at) } }),
  ];
  model.script = [...Array.from({ length: 10 }, (_, at) => look(at)), [say("Enough.")]];
  await chat.ask("Look around");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Stopped at the limit of 10 loops.")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Continue" }).click();
  await expect(chat.lastTurn.getByText("Enough.")).toBeVisible();
  await expectAccessible(page);
});

test("a word for the end that nobody knows is shown as it is, and as no success", async ({ chat, model }) => {
  model.script = [[say("Half an answer"), finish("cosmic_ray")]];
  await chat.ask("Answer me");
  await expect(chat.lastTurn.getByText(/Couldn’t answer:.*cosmic_ray/)).toBeVisible();
  await expect(chat.lastTurn.getByText("Half an answer")).toBeVisible();
  await expect(chat.lastTurn.getByRole("button", { name: "Try again" })).toBeVisible();
});

test("a busy model is asked again with a countdown that can be seen, also after a reload", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[fail(429, "slow down", { headers: { "retry-after": "5" } })], [say("Here I am.")]];
  await chat.ask("Are you there?");
  await expect(
    chat.lastTurn.getByText(
      /rate limit or quota of the model server has been reached.*Trying again in 5\.0 s \(2 of 3\)/,
    ),
  ).toBeVisible();
  await expect(chat.lastTurn.getByText(/· [1-5] s$/)).toBeVisible();
  await chat.finished();
  await expect(chat.lastTurn.getByText("Here I am.")).toBeVisible();
  await expect(chat.lastTurn.getByText(/· \d+ s$/)).toHaveCount(0);
  await page.reload();
  await expect(chat.lastTurn.getByText(/Trying again in 5\.0 s/)).toBeVisible();
});

test("one that wants to be left alone for long ends the answer at once, and says until when", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[fail(429, "quota used up", { headers: { "retry-after": "5400" } })]];
  await chat.ask("Are you there?");
  await expect(chat.lastTurn.getByText(/quota used up.*Try again after .*\d{1,2}:\d{2}/)).toBeVisible();
  await expectAccessible(page);
});

test("garbage, a page of HTML and a broken line are told in words, and the next answer comes", async ({
  chat,
  model,
}) => {
  const html = { headers: { "content-type": "text/html" }, body: "<html><h1>502 Bad Gateway</h1></html>" };
  model.script = [[fail(404, "not here", html)], [say("Half of"), cut], [say("Whole again.")]];
  await chat.ask("First");
  await expect(chat.lastTurn.getByText(/Couldn’t answer:/)).toBeVisible();
  await expect(chat.lastTurn.getByText(/<h1>/)).toHaveCount(0);
  await chat.ask("Second");
  await expect(chat.lastTurn.getByText("Half of")).toBeVisible();
  await expect(chat.lastTurn.getByText(/Couldn’t answer:/)).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Try again" }).click();
  await expect(chat.lastTurn.getByText("Whole again.")).toBeVisible();
});
