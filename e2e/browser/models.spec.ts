import { startAnthropicServer } from "@/lib/providers/testing/anthropic-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { saveModelServer } from "../support/save-model-server";
import { expect, test } from "../support/test";

const key = "sk-nobody-sees-this-again-4321";

test("a model server is set up in the settings, tried out, used at once with its cost, and removed", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer([
    [{ type: "usage", input: 4_000, output: 1_000, cached: 1_000 }, say("Hello from the model.")],
  ]);
  const app = await start(noServers);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/models");
  await page.getByRole("button", { name: "Set up OpenAI-compatible server" }).click();
  const form = page.getByRole("dialog", { name: "OpenAI-compatible server" });
  await form.getByLabel("Key").fill(key);
  await form.getByLabel("Address").fill("http://127.0.0.1:1/v1");
  await form.getByRole("button", { name: "Test" }).click();
  await expect(form.getByRole("status")).toContainText("127.0.0.1:1");
  await expectAccessible(page);
  await saveModelServer(form, server.url);
  await expect(page.getByText(`key …4321 · ${server.url}`)).toBeVisible();
  expect(await page.content()).not.toContain(key);

  await chat.goto("/settings/limits");
  await page.getByRole("button", { name: "Add a price" }).click();
  const price = page.getByRole("dialog", { name: "Price of a model" });
  await price.getByLabel("Model").fill("test-model");
  await price.getByRole("button", { name: "Save" }).click();
  await expect(price.getByText("must look like openai/gpt-5-mini")).toBeVisible();
  await price.getByLabel("Model").fill("openai/test-model");
  await price.getByLabel("Input").fill("2");
  await price.getByLabel("Cached").fill("0.5");
  await price.getByLabel("Output").fill("10");
  await price.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "openai/test-model" })).toContainText("yours");

  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Hi");
  await chat.finished();
  await expect(chat.lastTurn.getByText("4,000 in, 1,000 out, 1,000 cached")).toBeVisible();
  await expect(chat.lastTurn.getByText("$0.0165")).toBeVisible();

  await chat.goto("/settings/models");
  await page.getByRole("button", { name: "Remove OpenAI-compatible server" }).click();
  await expect(page.getByRole("button", { name: "Set up OpenAI-compatible server" })).toBeVisible();
  await server.close();
});

test("what a model can do is said in the settings, stands in the picker, and holds for the next answer", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer([[say('{"response": "As you asked, in JSON."}')]]);
  const app = await start({ env: { OPENAI_BASE_URL: server.url } });
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/models");
  await page.getByRole("button", { name: "What test-model can do" }).click();
  const form = page.getByRole("dialog", { name: "test-model" });
  await expect(form.getByRole("radio", { name: "Detect automatically" }).first()).toBeChecked();
  await expectAccessible(page);
  await form.getByRole("group", { name: "Tool calls" }).getByText("As JSON").click();
  await form.getByRole("group", { name: "Images" }).getByText("Supported", { exact: true }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByText("tools as JSON, images")).toBeVisible();

  await chat.goto("/");
  await page.getByRole("button", { name: /^Model:/ }).click();
  await expect(
    page.getByRole("menuitemcheckbox", { name: /^test-model openai · tools as JSON/ }),
  ).toBeVisible();
  // No hand is as fast: the key may come before the menu listens.
  await expect(async () => {
    await page.keyboard.press("Escape");
    await expect(page.getByRole("menu")).toHaveCount(0, { timeout: 500 });
  }).toPass();
  await chat.chooseModel("test-model");
  await chat.ask("Hi");
  await chat.finished();
  await expect(chat.lastTurn.getByText("As you asked, in JSON.")).toBeVisible();
  expect(server.requests.at(-1)?.tools).toEqual([]);
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("tool_call");
  await server.close();
});

test("where only the demo answers, a key makes a real model of it", async ({ open, start }) => {
  const server = await startAnthropicServer([[say("Hello from Claude.")]]);
  const chat = await open(await start({ ...noServers, env: { ANTHROPIC_BASE_URL: server.url } }));
  const { page } = chat;
  await chat.goto("/");
  const choice = page.getByRole("group", { name: "Provider" });
  await expect(choice.getByRole("radio")).toHaveCount(3);
  await choice.getByText("Claude").click();
  await page.getByLabel("API key of Claude").fill(key);
  await page.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page.getByLabel("API key of Claude")).toHaveCount(0);
  await chat.chooseModel("test-model");
  await chat.ask("Hi");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Hello from Claude.")).toBeVisible();
  await server.close();
});

test("limits are kept, and a field that cannot be read says what it wants", async ({ open, start }) => {
  const chat = await open(await start());
  const { page } = chat;
  await chat.goto("/settings/limits");
  await page.getByLabel("Loops").fill("500");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("must be a whole number from 1 to 100")).toBeVisible();
  await page.getByLabel("Loops").fill("2");
  await page.getByLabel("Tool calls").fill("1");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Limits saved. They apply from the next answer on.")).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Loops")).toHaveValue("2");
  const held = (name: RegExp) => page.getByRole("row", { name }).getByRole("cell");
  await expect(held(/^Loops \(of an agent/)).toHaveText([/^Loops/, "2", "2"]);
  await expect(held(/^Total time/)).toHaveText([/^Total time/, "2 min", "10 min"]);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);

  await chat.goto("/");
  await chat.ask("List the files");
  await expect(page.getByRole("group", { name: "1 tool call used. Continue?" })).toBeVisible();
});

test("the pages are in Japanese as well", async ({ open, app }) => {
  const chat = await open(app, { locale: "ja-JP" });
  await chat.goto("/settings/models");
  await expect(chat.page.getByRole("heading", { name: "モデルの提供元" })).toBeVisible();
  await chat.page.getByRole("button", { name: "Claude を設定" }).click();
  await expect(chat.page.getByRole("dialog", { name: "Claude" }).getByLabel("API キー")).toBeVisible();
  await expectAccessible(chat.page);
  await chat.goto("/settings/limits");
  await expect(chat.page.getByRole("heading", { name: "上限と料金", level: 1 })).toBeVisible();
  await expectAccessible(chat.page);
});
