import { callTools, say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expect, serversReady, test } from "../support/test";

test("an answer that was forked while it went on is a version beside it, live and after a reload", async ({
  chat,
  page,
  model,
  app,
}) => {
  await serversReady(app);
  const end = Promise.withResolvers<void>();
  model.script = [
    [
      say("First the folder."),
      callTools({ name: "filesystem__list_directory", args: { path: app.sandbox } }),
    ],
    [say("It is "), until(end.promise), say("empty.")],
    [say("Let me look again.")],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look");
  await expect(chat.lastTurn.getByText("It is", { exact: true })).toBeVisible();
  const api = apiOf(app);
  const conversationId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  const { activeRunId } = await api.conversation(conversationId);
  const events = (await (await app.fetch(`/api/runs/${activeRunId}/events`)).text()).trim().split("\n");
  const round = events.findIndex((line) => JSON.parse(line).data.type === "tool_result") + 1;
  await api.post(`/api/runs/${activeRunId}/fork`, { afterSeq: round });
  await expect.poll(async () => (await api.conversation(conversationId)).activeRunId).toBeNull();

  await page.reload();
  await expect(chat.lastTurn.getByText("Let me look again.")).toBeVisible();
  await expect(chat.lastTurn.getByText("First the folder.")).toBeVisible();
  await expect(chat.lastTurn.getByText("2 / 2")).toHaveCount(0);
  end.resolve();
  await expect.poll(async () => (await api.conversation(conversationId)).status).toBe("completed");
  await page.reload();
  await expect(chat.lastTurn.getByText("Let me look again.")).toBeVisible();
  await expect(chat.lastTurn.getByText("It is empty.")).toHaveCount(0);
  // In the order in which they were stored: the fork was first.
  await expect(chat.lastTurn.getByText("1 / 2")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Next version" }).click();
  await expect(chat.lastTurn.getByText("It is empty.")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("Let me look again.")).toBeVisible();
});
