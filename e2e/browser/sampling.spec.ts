import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { everythingOverStdio } from "../support/everything";
import { expect, serversReady, test } from "../support/test";

const mcpConfig = { mcpServers: { everything: { ...everythingOverStdio, sampling: true } } };
const ask = (prompt: string) =>
  `/tool everything__trigger-sampling-request ${JSON.stringify({ prompt, maxTokens: 60 })}`;

test("a server has the model write something: looked at, changed, allowed, and shown after a reload", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig });
  await serversReady(app);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/");
  await chat.ask(ask("a line about rain"));
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  const card = page.getByRole("group", { name: "Let everything ask the model?" });
  await expect(card.getByText(/counts against your budget/)).toBeVisible();
  await expect(card.getByRole("button", { name: /For this run|Always/ })).toHaveCount(0);
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await card.getByRole("textbox", { name: "systemPrompt" }).fill("You are a poet.");
  await card.getByRole("button", { name: "Allow", exact: true }).click();
  await chat.finished();
  const written = chat.lastTurn.getByText("Written by the model for the server");
  await expect(written).toBeVisible();
  await expect(chat.lastTurn.getByText(/LLM sampling result/).first()).toBeVisible();
  await page.reload();
  await expect(written).toBeVisible();
});

test("declined, in Japanese, on a phone in the dark: the server is told", async ({ start, open }) => {
  const app = await start({ mcpConfig });
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await chat.ask(ask("a line about snow"));
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await expect(chat.page.getByRole("group", { name: "Let everything ask the model?" })).toBeVisible();
  const other = await open(app, {
    locale: "ja-JP",
    colorScheme: "dark",
    viewport: { width: 390, height: 844 },
  });
  await other.goto(new URL(chat.page.url()).pathname);
  const card = other.page.getByRole("group", { name: "everything からモデルへの依頼を許可しますか？" });
  await expect(card).toBeVisible();
  await expectAccessible(other.page);
  await expectNoSidewaysScroll(other.page);
  await card.getByRole("button", { name: "拒否" }).click();
  await expect(other.lastTurn.getByText(/The user declined the sampling request/).first()).toBeVisible();
});
