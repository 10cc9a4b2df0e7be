import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const modelButton = (page: Page, name: string) => page.getByRole("button", { name: `Model: ${name}` });

test("instructions are written in the settings and in a conversation, hold in every browser, and are taken back", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  model.script = [[say("Fine.")]];
  const told = () => JSON.stringify(model.requests.at(-1)?.body.messages);
  await chat.goto("/settings/instructions");
  const general = page.getByLabel("Instructions for every conversation");
  await general.fill("あ".repeat(35_000));
  await expect(page.getByText("At most 100 KB are kept")).toBeVisible();
  const second = await page.context().newPage();
  await second.goto(page.url());
  await expect(second.getByLabel("Instructions for every conversation")).toHaveValue("");
  await general.fill("Use metric units.");
  // What is not saved is still there for whoever returns, and only there.
  await page.getByRole("link", { name: "Models" }).click();
  await page.getByRole("link", { name: "Instructions" }).click();
  await expect(general).toHaveValue("Use metric units.");
  await expect(page.getByText("Not saved yet.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Instructions saved.")).toBeVisible();
  await expect(second.getByLabel("Instructions for every conversation")).toHaveValue("Use metric units.");
  await second.close();

  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Hello");
  await chat.finished();
  expect(told()).toContain("Use metric units.");
  await chooseMore(page, "Instructions");
  const dialog = page.getByRole("dialog", { name: "Instructions for this conversation" });
  await dialog.getByRole("textbox").fill("Answer in verse.");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await chat.ask("And now?");
  await chat.finished();
  expect(told()).toContain("Answer in verse.");

  const other = await open(app, { locale: "ja-JP", viewport: { width: 390, height: 844 } });
  await other.page.goto(page.url());
  await chooseMore(other.page, "指示", "その他");
  await expect(other.page.getByRole("textbox", { name: "この会話でモデルに伝えておくこと" })).toHaveValue(
    "Answer in verse.",
  );
  await expectNoSidewaysScroll(other.page);
  await other.page.getByRole("textbox", { name: "この会話でモデルに伝えておくこと" }).fill("");
  await other.page.getByRole("button", { name: "保存" }).click();
  await expect(other.page.getByRole("dialog")).toHaveCount(0);
  await chat.ask("And again?");
  await chat.finished();
  expect(told()).not.toContain("Answer in verse.");
  await app.fetch("/api/settings", {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ instructions: "" }),
  });
});

test("the model of a conversation is the same in two tabs and another browser; one that is gone says so at the picker", async ({
  chat,
  page,
  app,
  model,
  open,
}) => {
  model.script = [[say("Fine.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Hello");
  await chat.finished();
  const second = chat.sibling(await page.context().newPage());
  await second.page.goto(page.url());
  await expect(modelButton(second.page, "test-model")).toBeVisible();
  await second.chooseModel("vision-model");
  await expect(modelButton(page, "vision-model")).toBeVisible();
  const other = await open(app);
  await other.page.goto(page.url());
  await expect(modelButton(other.page, "vision-model")).toBeVisible();
  await chat.ask("And now?");
  await chat.finished();
  expect(model.requests.at(-1)?.model).toBe("vision-model");

  const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await app.fetch(`/api/conversations/${id}`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ choice: { model: "openai/withdrawn" } }),
  });
  await page.reload();
  await modelButton(page, "openai/withdrawn").click();
  await expect(page.getByText("openai/withdrawn isn’t available now.")).toBeVisible();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await expect(modelButton(page, "test-model")).toBeVisible();
  await expect(chat.turns).toHaveCount(2);
});

test("the model names a conversation after its first answer, in the page and in the list, and a typed title stays", async ({
  open,
  startWithModel,
}) => {
  const naming = "You name conversations.";
  const { app } = await startWithModel(
    ({ body }) => [
      say(JSON.stringify(body.messages).includes(naming) ? "Three days in Kyoto" : "Go to Kyoto."),
    ],
    { ...noServers, titles: "model" },
  );
  const chat = await open(app);
  const { page } = chat;
  await chat.ask("Where to go?");
  await chat.finished();
  await expect(chat.conversation("Three days in Kyoto")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: "Three days in Kyoto" })).toBeVisible();
  await expect(page).toHaveTitle("Three days in Kyoto · Meguri");

  await chat.goto("/settings/models");
  const titles = page.getByRole("group", { name: "Titles of conversations" });
  await expect(titles.getByRole("radio", { name: "By the model" })).toBeChecked();
  await titles.getByText("First words").click();
  await expect(titles.getByRole("radio", { name: "First words" })).toBeChecked();
  await expectAccessible(page);
  await chat.goto("/");
  await chat.ask("And then?");
  await chat.finished();
  await expect(chat.conversation("And then?")).toBeVisible();
});
