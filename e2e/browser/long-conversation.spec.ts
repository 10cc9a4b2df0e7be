import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { expectAccessible } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const tooLong: Step[] = [
  { type: "fail", status: 400, message: "This model's maximum context length is 8192 tokens." },
];

test("a conversation that has grown too long is summarised, and goes on", async ({ chat, page, model }) => {
  model.script = [[say("One.")], tooLong, [say("They spoke of words, many of them.")], [say("Two.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask(`Words: ${"word ".repeat(4_000)}`);
  await chat.finished();
  await chat.ask("And the second?");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Two.")).toBeVisible();
  const folded = chat.lastTurn.getByText("Earlier messages were summarized to make room.");
  const notes = chat.lastTurn.getByText("They spoke of words, many of them.");
  await expect(notes).toBeHidden();
  await folded.click();
  await expect(notes).toBeVisible();
  await expectAccessible(page);

  await page.reload();
  await expect(folded).toBeVisible();
  await expect(chat.loop(2)).toHaveCount(0);
  model.script = [[say("Three.")]];
  await chat.ask("And the third?");
  await chat.finished();
  const sent = JSON.stringify(model.requests.at(-1)?.body);
  expect(sent).toContain("Summary of the conversation so far:\\nThey spoke of words, many of them.");
  expect(sent).not.toContain("word word word");
});

test("a tool result that is too long for the model is shortened, and the model can read the rest", async ({
  chat,
  app,
  model,
}) => {
  await serversReady(app);
  const path = join(app.sandbox, "long.txt");
  writeFileSync(path, `${"line\n".repeat(8_000)}the end`);
  model.script = ({ body }, turn) => {
    const id = /id \\+"(call_\w+)\\+"/.exec(JSON.stringify(body))?.[1];
    const turns = [
      [callTools({ name: "filesystem__read_text_file", args: { path } })],
      tooLong,
      [callTools({ name: "meguri__read_result", args: { id, offset: 39_000 } })],
    ];
    return turns[turn] ?? [say("It ends well.")];
  };
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("How does it end?");
  await chat.finished();
  await expect(chat.lastTurn.getByText(/An earlier tool result was shortened to make room/)).toBeVisible();
  await expect(chat.lastTurn.getByText("It ends well.")).toBeVisible();
  expect(model.requests.at(-1)?.toolResults.at(-1)).toContain("the end");
});
