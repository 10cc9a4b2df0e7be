import { readFileSync } from "node:fs";
import { callTools, say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

test("the file of a run is imported and opened, is only looked at, and its fork is a conversation of one's own", async ({
  chat,
  page,
  model,
  app,
}) => {
  await serversReady(app);
  const list = { name: "filesystem__list_directory", args: { path: app.sandbox } };
  model.script = [[callTools(list)], [say("It is empty.")]];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Look");
  await chat.finished();
  await chat.lastTurn.getByRole("link", { name: "Open run" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export" }).click(),
  ]);
  const file = readFileSync(await download.path(), "utf8");

  await chat.goto("/settings/data");
  const input = page.locator("input[type=file]");
  const choose = (name: string, text: string) =>
    input.setInputFiles({ name, mimeType: "application/x-ndjson", buffer: Buffer.from(text) });
  await choose("cut.ndjson", file.slice(0, -30));
  await page.getByRole("button", { name: "Import and open" }).click();
  const cut = page.getByRole("alert").filter({ hasText: "The file ends in the middle of a line" });
  await expect(cut).toBeVisible();
  await page.getByRole("button", { name: "Put away cut.ndjson" }).click();
  await choose(download.suggestedFilename(), file);
  await expect(page.getByText(/a run of Meguri$/)).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Import and open" }).click();
  await page.waitForURL(/\/runs\//);
  await expect(page.locator("[data-step]")).toHaveCount(3);
  await expect(page.getByRole("button", { name: /^Run again/ })).toHaveCount(0);

  await page.getByRole("link", { name: "Back to the conversation" }).click();
  const note = page.getByRole("note");
  await expect(note).toContainText("This is a read-only copy of a run.");
  await expect(chat.lastTurn.getByText("It is empty.")).toBeVisible();
  await expect(chat.message).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^(Regenerate|Edit)/ })).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 740 });
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  const before = model.requests.length;
  const { pathname } = new URL(page.url());
  await note.getByRole("button", { name: "Fork" }).click();
  await page.waitForURL((url) => url.pathname !== pathname);
  await expect(chat.message).toBeVisible();
  await expect(chat.lastTurn.getByText("It is empty.")).toBeVisible();
  expect(model.requests.length).toBe(before);
});
