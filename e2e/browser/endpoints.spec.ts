import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { saveModelServer } from "../support/save-model-server";
import { expect, test } from "../support/test";

const key = "sk-nobody-sees-this-again-4321";

test("an endpoint is added, tried out, chosen, and removed without losing its conversation", async ({
  open,
  start,
}) => {
  const server = await startOpenAiServer([[say("Hello from the gateway.")]]);
  const chat = await open(await start(noServers));
  const { page } = chat;
  await chat.goto("/settings/models");
  await expect(page.getByText("No endpoint is set up.")).toBeVisible();
  await page.getByRole("button", { name: "Add an endpoint" }).click();
  const form = page.getByRole("dialog", { name: "Add an endpoint" });
  await form.getByLabel("Name", { exact: true }).fill("OpenAI");
  await expect(form.getByLabel("ID", { exact: true })).toHaveValue("openai-2");
  await form.getByLabel("Name", { exact: true }).fill("Acme gateway");
  await expect(form.getByLabel("ID", { exact: true })).toHaveValue("acme-gateway");
  await form.getByLabel("ID", { exact: true }).fill("openai");
  await form.getByLabel("Address").fill("http://127.0.0.1:1/v1");
  await form.getByLabel("API key").fill(key);
  await form.getByLabel("Headers").fill("X-Team: blue\nno header");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toHaveText("Line 2 must look like X-Team: blue.");
  await form.getByLabel("Headers").fill("X-Team: a-secret-team");
  await form.getByRole("button", { name: "Save" }).click();
  await expect(form.getByRole("alert")).toHaveText("is the id of a built-in provider; pick another one");
  await form.getByLabel("ID", { exact: true }).fill("acme");
  await form.getByRole("button", { name: "Test" }).click();
  await expect(form.getByRole("alert")).toContainText("Nothing answers at http://127.0.0.1:1/v1");
  await expect(form.getByLabel("Address")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(page);
  await form.getByRole("group", { name: "API", exact: true }).getByText("Chat completions").click();
  await saveModelServer(form, server.url);

  const row = page
    .getByRole("list", { name: "Endpoints" })
    .getByRole("listitem")
    .filter({ hasText: "Acme gateway" });
  await expect(row).toContainText(`${server.url} · key …4321 · 1 header · 1 model`);
  await row.getByRole("button", { name: "Test Acme gateway" }).click();
  await expect(row.getByRole("status")).toHaveText("Connected: one model.");
  expect(await page.content()).not.toContain(key);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  // Edited without its key, which stays.
  await row.getByRole("button", { name: "Edit Acme gateway" }).click();
  const edit = page.getByRole("dialog", { name: "Acme gateway" });
  await expect(edit.getByText("Stored: X-Team. Leave empty to keep them.")).toBeVisible();
  await expect(edit.getByRole("radio", { name: "Chat completions" })).toBeChecked();
  await edit.getByLabel("Name", { exact: true }).fill("Acme");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit).toHaveCount(0);

  await chat.goto("/");
  await page.getByRole("button", { name: /^Model:/ }).click();
  await page
    .getByRole("group", { name: "Acme" })
    .getByRole("menuitemcheckbox", { name: "test-model" })
    .click();
  await chat.ask("Hi");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Hello from the gateway.")).toBeVisible();
  expect(server.requests.at(-1)?.headers).toMatchObject({
    authorization: `Bearer ${key}`,
    "x-team": "a-secret-team",
  });
  const path = new URL(page.url()).pathname;

  await chat.goto("/settings/models");
  await page.getByRole("button", { name: "Remove Acme" }).click();
  await expect(page.getByText(/Acme removed\. Conversations with its models stay/)).toBeVisible();
  await expect(page.getByText("No endpoint is set up.")).toBeVisible();

  await chat.goto(path);
  await expect(chat.lastTurn.getByText("Hello from the gateway.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Model: acme/test-model" })).toBeVisible();
  await chat.message.fill("And now?");
  await chat.message.press("Enter");
  await expect(page.getByRole("alert").filter({ hasText: 'There is no endpoint "acme"' })).toBeVisible();
  await expect(chat.message).toHaveValue("And now?");
  await chat.chooseModel("Demo");
  await chat.message.press("Enter");
  await expect(chat.turns).toHaveCount(2);
  await chat.finished();
  await server.close();
});

test("200 models of 20 endpoints are searched by keyboard, and few of them are drawn", async ({
  open,
  start,
}) => {
  const endpoints = Array.from({ length: 20 }, (_, at) => ({
    id: `e-${at}`,
    name: `Endpoint ${at}`,
    baseURL: "http://127.0.0.1:1/v1",
    models: Array.from({ length: 10 }, (__, model) => `model-${at}-${model}`),
  }));
  const app = await start({ ...noServers, env: { MEGURI_ENDPOINTS: JSON.stringify(endpoints) } });
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  // Known once the models are.
  const picker = page.getByRole("button", { name: "Model: Demo (no AI)" });
  await picker.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Choose a model" });
  const field = dialog.getByRole("combobox", { name: "Find a model or an endpoint" });
  await expect(field).toBeFocused();
  await expect(dialog.getByRole("option")).toHaveCount(60);
  await expect(dialog.getByRole("status")).toContainText("141 more models.");
  await expectAccessible(page);
  await page.keyboard.type("endpoint 17");
  await expect(dialog.getByRole("group")).toHaveCount(1);
  await expect(dialog.getByRole("group", { name: "Endpoint 17" }).getByRole("option")).toHaveCount(10);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await expect(dialog.getByRole("option", { selected: true })).toHaveText("model-17-2");
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Model: model-17-2" })).toBeFocused();

  await chat.goto("/settings/models");
  await expect(page.getByText("From MEGURI_ENDPOINTS")).toHaveCount(20);
  await expect(page.getByRole("button", { name: "Edit Endpoint 3", exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Show 50 more" }).click();
  await expect(page.getByText("e-9/model-9-9", { exact: true })).toBeVisible();
});

test("what is pressed before the models are known opens the picker once they are, and the focus stays", async ({
  open,
  start,
}) => {
  const endpoints = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ id: `e-${at}`, name: `Endpoint ${at}`, baseURL: "http://127.0.0.1:1/v1" },
      models: Array.from({ length: 10 }, (__, model) => `model-${at}-${model}`),
    }));
  for (const [count, opened] of [
    [20, "dialog"],
    [1, "menu"],
  ] as const) {
    const chat = await open(
      await start({ ...noServers, env: { MEGURI_ENDPOINTS: JSON.stringify(endpoints(count)) } }),
    );
    const { page } = chat;
    const answer = Promise.withResolvers<void>();
    await page.route("**/api/models*", async (route) => {
      await answer.promise;
      await route.continue();
    });
    await chat.goto("/");
    const picker = page.getByRole("button", { name: /^Model/ });
    await picker.press("Enter");
    await expect(picker).toBeFocused();
    answer.resolve();
    await expect(page.getByRole(opened)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole(opened)).toHaveCount(0);
    await expect(picker).toBeFocused();
  }
});

test("endpoints are set up in Japanese as well", async ({ open, start }) => {
  const chat = await open(await start(noServers), { locale: "ja-JP" });
  const { page } = chat;
  await chat.goto("/settings/models");
  await page.getByRole("button", { name: "エンドポイントを追加" }).click();
  const form = page.getByRole("dialog", { name: "エンドポイントを追加" });
  await form.getByLabel("名前").fill("社内");
  await expect(form.getByLabel("ID", { exact: true })).toHaveValue("endpoint");
  await form.getByLabel("アドレス").fill("http://127.0.0.1:1/v1");
  await form.getByRole("button", { name: "テスト" }).click();
  await expect(form.getByRole("alert")).toHaveText(
    "http://127.0.0.1:1/v1 から応答がありません。endpoint が動いているか、「設定」→「モデル」のアドレスが正しいかを確認してください。",
  );
  await expectAccessible(page);
  await form.getByRole("group", { name: "API", exact: true }).getByText("Responses").click();
  await form.getByRole("button", { name: "保存" }).click();
  await expect(form).toHaveCount(0);
  await expect(page.getByRole("list", { name: "エンドポイント" })).toContainText("接続できません");
});
