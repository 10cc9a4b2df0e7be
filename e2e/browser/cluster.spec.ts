import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { startCluster, startDatabaseServer } from "../support/cluster";
import { expect, test } from "../support/test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

test("behind a balancer an answer is seen in two windows, outlives its instance, and goes on at another one", async ({
  open,
  start,
}) => {
  const server = await startDatabaseServer();
  const model = await startOpenAiServer([[say("The first half."), hang], [say("The whole answer.")]]);
  const cluster = await startCluster(server, start, {
    ...{ name: "browser", mcpConfig: { mcpServers: {} } },
    env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
  });
  try {
    const [app] = cluster.instances;
    if (!app) throw new Error("Two were started.");
    const chat = await open(app);
    // The one that was there first hears of the other with its next beat.
    await expect(async () => {
      await chat.goto("/");
      await expect(chat.page.locator("html")).toHaveAttribute("data-instances", "several", {
        timeout: 1_000,
      });
    }).toPass();
    await expect(chat.page.getByRole("button", { name: "Temporary chat", exact: true })).toHaveCount(0);
    await chat.ask("Count");
    await expect(chat.lastTurn.getByText("The first half.")).toBeVisible();
    const other = await open(app);
    await other.goto(new URL(chat.page.url()).pathname);
    await expect(other.lastTurn.getByText("The first half.")).toBeVisible();

    const [run] = await cluster.rows("select owner_id from run");
    const owner = cluster.instances.find(({ pid }) => String(run?.owner_id).includes(` ${pid} `));
    await owner?.kill9();
    for (const each of [chat, other])
      await expect(each.lastTurn.getByRole("button", { name: "Resume" })).toBeVisible();
    await other.lastTurn.getByRole("button", { name: "Resume" }).click();
    await expect(other.lastTurn.getByText("The whole answer.")).toBeVisible();
    await other.finished();
    await chat.page.reload();
    await expect(chat.lastTurn.getByText("The whole answer.")).toBeVisible();
  } finally {
    await Promise.all(cluster.instances.map((instance) => instance.kill9()));
    await cluster.close();
    await model.close();
    await server.stop();
  }
});
