import { join } from "node:path";
import { countFromNow } from "../support/server-log";
import { expect, serversReady, test } from "../support/test";

const research = (args: object) => `/tool everything__simulate-research-query ${JSON.stringify(args)}`;

test("a task says how it goes, asks on its way, outlives a reload and is ended by Stop", async ({
  chat,
  page,
}) => {
  await chat.goto("/");
  await chat.ask(research({ topic: "python", ambiguous: true }));
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await expect(chat.lastTurn.getByText("Gathering sources...")).toBeVisible();
  await page.reload();
  const card = page.getByRole("group", { name: /^everything has a question/ });
  await card.getByLabel("Clarification").selectOption({ label: "Python snake species" });
  await card.getByRole("button", { name: "Send" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText(/python \(snake\)/).first()).toBeVisible();

  await chat.ask(research({ topic: "tea", ambiguous: false }));
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await expect(chat.lastTurn.getByText("Gathering sources...")).toBeVisible();
  const cancelled = countFromNow(chat.app, "everything", "→ tasks/cancel");
  await chat.stop.click();
  await expect(chat.lastTurn.getByText("You stopped this answer.")).toBeVisible();
  await expect.poll(cancelled).toBe(1);
});

test("one call is cancelled, and the answer goes on", async ({ chat }) => {
  await chat.goto("/");
  await chat.ask('/tool everything__trigger-long-running-operation {"duration": 60, "steps": 60}');
  await chat.toolLine("everything trigger-long-running-operation, running, ").click();
  const cancelled = countFromNow(chat.app, "everything", "→ notifications/cancelled");
  await chat.lastTurn.getByRole("button", { name: "Cancel this call" }).click();
  await chat.finished();
  await expect(
    chat.toolLine("everything trigger-long-running-operation, cancelled, outcome unknown, "),
  ).toBeVisible();
  await expect(
    chat.lastTurn.getByText(/^Cancelled by you: it was already sent, and the server was told/),
  ).toBeVisible();
  await expect.poll(cancelled).toBe(1);
});

test("a task of the newer wire outlives kill -9 of the application", async ({ start, open }) => {
  const server = join(import.meta.dirname, "../../lib/mcp/testing/task-server.mjs");
  const app = await start({
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the servers' file
    moreServers: { desk: { command: "node", args: [server, "${dataFolder}/tasks.json"] } },
  });
  await serversReady(app);
  const chat = await open(app);
  await chat.goto("/");
  await chat.ask("/tool desk__patient {}");
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  const card = chat.page.getByRole("group", { name: /^desk has a question/ });
  await expect(card).toBeVisible();
  await app.kill9();
  await app.restart();
  await chat.page.reload();
  await card.getByLabel("which").fill("the blue one");
  await card.getByRole("button", { name: "Send" }).click();
  await chat.finished();
  await expect(chat.lastTurn.getByText(/the blue one/).first()).toBeVisible();
  await expect(chat.toolLine("desk patient, done, ")).toHaveCount(1);
});
