import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { fail, say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

test("what nobody knows of a model is shown as unknown, is typed in, and holds for the next answer", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer([[say("Fine.")]], { models: ["own-model"] });
  const chat = await open(await start({ env: { OPENAI_BASE_URL: server.url } }));
  const { page } = chat;
  await chat.goto("/settings/models");
  const row = page.getByRole("listitem").filter({ hasText: "openai/own-model" });
  await expect(row).toContainText("unknown");
  await expect(row).toContainText("price unknown");
  await page.getByRole("button", { name: "What own-model can do" }).click();
  const form = page.getByRole("dialog", { name: "own-model" });
  await form.getByLabel("Context (tokens)").fill("many");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByText("must be a whole number from 1,000 to 100,000,000")).toBeVisible();
  await expectAccessible(page);
  await form.getByLabel("Context (tokens)").fill("32,000");
  await form.getByLabel("Largest output (tokens)").fill("700");
  await form.getByLabel("Temperature").fill("0.3");
  await form.getByLabel("Effort").selectOption("Low");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toHaveCount(0);
  await expect(row).toContainText("32K");
  await expectNoSidewaysScroll(page);

  await chat.goto("/");
  await chat.chooseModel("own-model");
  await page.getByRole("button", { name: /^Model:/ }).click();
  await expect(
    page.getByRole("menuitemcheckbox", { name: "own-model openai · price unknown" }),
  ).toBeVisible();
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await chat.ask("Hi");
  await chat.finished();
  await expect(chat.lastTurn.getByText("cost unknown")).toBeVisible();
  const gauge = page.getByRole("button", { name: /^What fills the context: .+ of 32K tokens$/ });
  await gauge.press("Enter");
  const context = page.getByRole("complementary", { name: "Context" });
  await expect(context.getByRole("heading", { name: "Tool descriptions" })).toBeVisible();
  await expect(context.getByText("This conversation so far:")).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("Escape");
  await expect(gauge).toBeFocused();
  expect(server.requests.at(-1)?.body).toMatchObject({
    reasoning_effort: "low",
    temperature: 0.3,
    max_tokens: 700,
  });
  await server.close();
});

test("the effort beside the model goes along with each message, and one that is refused is said", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer(
    ({ body }) =>
      body.reasoning_effort === "minimal"
        ? [fail(400, "Unsupported value: 'reasoning_effort' does not support 'minimal'.")]
        : [say("<think>\nHm.\n</think>\n\nThought about it.")],
    { models: ["gpt-5-mini"] },
  );
  const chat = await open(await start({ ...noServers, env: { OPENAI_BASE_URL: server.url } }));
  const { page } = chat;
  await chat.goto("/");
  await chat.chooseModel("gpt-5-mini");
  await page.getByRole("button", { name: "Effort: Default" }).click();
  await page.getByRole("menuitemcheckbox", { name: "High" }).click();
  await chat.ask("Hi");
  await chat.finished();
  expect(server.requests.at(-1)?.body).toMatchObject({ reasoning_effort: "high" });
  await expect(chat.lastTurn.getByText("Thought about it.")).toBeVisible();
  await expect(chat.lastTurn.getByText("<think>")).toHaveCount(0);

  await page.getByRole("button", { name: "Effort: High" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Minimal" }).click();
  await chat.ask("And now?");
  await chat.finished();
  await expect(chat.lastTurn.getByText("The model refuses the effort that is set")).toBeVisible();
  expect(server.requests.at(-1)?.body).not.toHaveProperty("reasoning_effort");
  await server.close();
});

test("a limit of money over a model without a price asks first, in Japanese on a phone as well", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer([[say("はい。")]], { models: ["own-model"] });
  const app = await start({
    ...noServers,
    env: { OPENAI_BASE_URL: server.url, DEFAULT_MODEL: "openai/own-model" },
  });
  const chat = await open(app, { locale: "ja-JP", viewport: { width: 390, height: 844 } });
  const { page } = chat;
  await chat.goto("/settings/limits");
  await page.getByLabel(/^費用/).fill("1");
  await page.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText("上限を保存しました", { exact: false })).toBeVisible();
  await chat.goto("/");
  await page.getByRole("textbox").fill("こんにちは");
  await page.getByRole("button", { name: "送信" }).click();
  const card = page.getByRole("group", { name: /このモデルの料金が不明なため、上限 .*1.* を守れません/ });
  await expect(card).toBeVisible();
  expect(server.requests).toHaveLength(0);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "上限なしで続ける" }).click();
  await expect(page.getByText("はい。")).toBeVisible();
  expect(server.requests).toHaveLength(1);
  await server.close();
});
