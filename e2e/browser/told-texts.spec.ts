import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { shortPayload } from "@/docs/corpus/rendering";
import { imitation } from "@/docs/corpus/tools";
import { callTools, fail, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectHarmless } from "../support/expect-harmless";
import { expect, test } from "../support/test";

const script = join(import.meta.dirname, "../support/told-server.mjs");

test("nothing that a server says of itself and its tools, nor what a provider fails with, runs, loads or reaches out", async ({
  chat,
  page,
  app,
  model,
}) => {
  const api = apiOf(app);
  const { rules } = await api.get<{ rules: object[] }>("/api/settings");
  await api.post("/api/mcp/servers", {
    name: "told",
    config: { command: "node", args: [script, shortPayload] },
  });
  const { approvalHash } = await api.server("told");
  await chat.goto("/settings/mcp");
  await expect(page.getByText("told", { exact: true }).first()).toBeVisible();
  await expectHarmless(page);
  await api.post("/api/mcp/servers/told/approve", { hash: approvalHash });
  await expect.poll(async () => (await api.server("told")).status).toBe("ready");
  await api.patch("/api/settings", { rules: [{ pattern: "mcp:told:*", effect: "allow" }] });
  try {
    await chat.goto("/settings/mcp/told");
    await expect(page.getByRole("list", { name: "Tools" }).getByRole("listitem")).toHaveCount(3);
    await expectHarmless(page);
    await page.getByRole("button", { name: "tell", exact: true }).click();
    await expectHarmless(page);
    await page.getByRole("tab", { name: "Log" }).click();
    await expect(page.getByText("window.pwned=9").first()).toBeVisible();
    await expectHarmless(page);

    const odd = (await api.server("told")).tools.find(({ name }) => !/^(tell|fail)$/.test(name));
    model.script = [
      [callTools({ name: "told__tell" }, { name: "told__fail" }, { name: odd?.qualifiedName ?? "" })],
      [say(`${shortPayload}\n\nAll told.`, { pieces: 40 })],
      [fail(400, shortPayload)],
    ];
    await chat.goto("/");
    await chat.chooseModel("test-model");
    await chat.ask("Tell me");
    await chat.finished();
    await expect(chat.lastTurn.getByText("All told.")).toBeVisible();
    for (const line of await chat.lastTurn.getByRole("button", { name: /^told / }).all()) await line.click();
    await expectHarmless(page);
    await chat.ask("And then?");
    await expect(chat.lastTurn.getByText("window.pwned=9").first()).toBeVisible();
    await expectHarmless(page);
    await page.reload();
    await expect(chat.lastTurn.getByText("window.pwned=9").first()).toBeVisible();
    await expectHarmless(page);
  } finally {
    await api.patch("/api/settings", { rules });
  }
});

test("a result that imitates a question of ours is text under the name of its server, and nothing to press", async ({
  chat,
  page,
  app,
}) => {
  writeFileSync(join(app.sandbox, "imitation.md"), imitation);
  await chat.ask("read imitation.md");
  await chat.finished();
  const line = chat.toolLine("filesystem read_text_file, done, ");
  await expect(line).toHaveAttribute("aria-expanded", "false");
  await line.click();
  await expect(
    chat.lastTurn.locator("pre").getByText("Allow “filesystem delete_all”?").first(),
  ).toBeVisible();
  await expect(chat.card).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Allow once" })).toHaveCount(0);
  await expect(page.getByLabel("API key")).toHaveCount(0);
  await expectHarmless(page);
});
