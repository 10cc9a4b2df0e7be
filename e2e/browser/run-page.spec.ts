import type { Page } from "@playwright/test";
import { callTools, say, think, until, usage } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { gateApi } from "../support/api-gate";
import type { App } from "../support/app";
import type { ChatPage } from "../support/chat-page";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, type ScriptedModel, serversReady, test } from "../support/test";

const steps = (page: Page) => page.locator("[data-step]");
const step = (page: Page, name: string) => page.getByRole("button", { name: new RegExp(`^${name}`) });

/** A run that has listed two folders at once and asks whether it may write; its id. */
async function askToWrite(
  chat: ChatPage,
  app: App,
  model: ScriptedModel,
  end: Promise<void>,
): Promise<string> {
  await serversReady(app);
  const list = { name: "filesystem__list_directory", args: { path: app.sandbox } };
  const write = { name: "filesystem__write_file", args: { path: `${app.sandbox}/out.md`, content: "x" } };
  model.script = [
    [think("Both at once."), say("Let me look."), callTools(list, list), usage(1_200, 34)],
    [callTools(write), usage(1_300, 20)],
    [say("It is "), until(end), say("done."), usage(1_400, 5)],
  ];
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await chat.ask("Tidy both folders up");
  await expect(chat.card).toBeVisible();
  const id = new URL(chat.page.url()).pathname.split("/").at(-1) ?? "";
  return (await apiOf(app).conversation(id)).runs.at(-1)?.id ?? "";
}

test("a run is followed from its wait to its end, stepped through with keys, and is the same after a reload", async ({
  chat,
  page,
  model,
  app,
}) => {
  const end = Promise.withResolvers<void>();
  const runId = await askToWrite(chat, app, model, end.promise);
  await chat.goto(`/runs/${runId}`);
  await expect(page.getByRole("heading", { name: "Tidy both folders up" })).toBeVisible();
  await expect(page.getByText("test-model · waiting for you")).toBeVisible();
  await expect(step(page, "filesystem list_directory")).toHaveCount(2);
  await expect(step(page, "Waiting for you")).toBeVisible();
  await expect(page.getByText("at most 2 at once")).toBeVisible();
  await expectAccessible(page);

  // The second of the calls at once has the focus, and keeps it while the run goes on.
  await steps(page).first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const call = page.getByRole("region", { name: "filesystem list_directory" });
  await expect(call.getByText(app.sandbox)).toBeVisible();
  const focused = steps(page).nth(2);
  await expect(focused).toBeFocused();
  const [pending] = (await apiOf(app).run(runId)).pending;
  const place = await focused.boundingBox();
  await apiOf(app).post(`/api/runs/${runId}/answer`, { requestId: pending?.requestId, decision: "approve" });
  await expect(page.getByText("test-model · running")).toBeVisible();
  await expect(steps(page)).toHaveCount(7);
  await expect(focused).toBeFocused();
  expect(await focused.boundingBox()).toEqual(place);
  await expect(call).toBeVisible();
  end.resolve();
  await expect(page.getByText("test-model · completed")).toBeVisible();
  await expect(focused).toBeFocused();
  await expectAccessible(page);

  // With the detail open the keys lead from one to the next.
  await page.keyboard.press("Home");
  await expect(page.getByRole("region", { name: "test-model" })).toContainText("Both at once.");
  await expect(page.getByRole("region", { name: "test-model" })).toContainText("1,200");
  await page.keyboard.press("End");
  await expect(page.getByRole("region", { name: "test-model" })).toContainText("It is done.");

  // What the model was sent, turn by turn.
  const turn = page.getByRole("region", { name: "test-model" });
  await page.keyboard.press("]");
  await expect(turn.getByRole("button", { name: /new filesystem__write_file/ })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press("]");
  await expect(turn.getByText("As before: System, Tools, and Parameters.")).toBeVisible();
  await expect(turn.locator("ins")).toContainText("filesystem__write_file");
  for (const _ of [1, 2]) await page.keyboard.press("k");
  await expect(steps(page).first()).toBeFocused();
  await expect(turn.getByRole("radio", { name: "What it was sent" })).toBeChecked();
  await expect(turn.getByRole("button", { name: /^question/ })).toBeVisible();
  await expect(turn.getByRole("button", { name: /^model/ })).toHaveCount(0);
  for (const _ of [1, 2]) await page.keyboard.press("j");
  await page.keyboard.press("[");
  await page.keyboard.press("[");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("region", { name: "test-model" })).toHaveCount(0);
  await expect(steps(page).last()).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Space");
  const wait = page.getByRole("region", { name: "Waiting for you" });
  await expect(wait).toContainText("allowed once");
  await expect(wait).toContainText("write_file");
  await wait.getByRole("button", { name: "Close" }).click();
  await expect(wait).toHaveCount(0);
  await expect(step(page, "Waiting for you")).toBeFocused();

  const shown = await page.getByRole("main").textContent();
  await page.reload();
  await expect(steps(page)).toHaveCount(7);
  expect(await page.getByRole("main").textContent()).toBe(shown);

  // The answer, and back.
  await page.getByRole("link", { name: "Back to the conversation" }).click();
  await expect(chat.lastTurn.getByText("It is done.")).toBeVisible();
  await chat.lastTurn.getByRole("link", { name: "Open run" }).click();
  await expect(steps(page)).toHaveCount(7);
});

test("on a phone the detail is a sheet, in Japanese and in the dark as well", async ({
  open,
  app,
  chat,
  model,
}) => {
  const runId = await askToWrite(chat, app, model, Promise.resolve());
  const small = { viewport: { width: 390, height: 844 }, locale: "ja-JP", colorScheme: "dark" } as const;
  const { page } = await open(app, small);
  await page.goto(`${app.baseUrl}/runs/${runId}`);
  await expect(steps(page)).toHaveCount(6);
  const rows = await steps(page).first().boundingBox();
  await step(page, "回答待ち").click();
  const sheet = page.getByRole("region", { name: "回答待ち" });
  await expect(sheet.getByText("write_file")).toBeInViewport();
  expect(await steps(page).first().boundingBox()).toEqual(rows);
  await expectAccessible(page);
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 740 });
    await expectNoSidewaysScroll(page);
  }
  await sheet.getByRole("button", { name: "閉じる" }).click();
  await expect(sheet).toHaveCount(0);
});

test("a run that cannot be loaded is tried again, one that is not there says so, and a temporary one works", async ({
  chat,
  page,
  model,
}) => {
  model.script = [[say("Here.")]];
  await chat.goto("/");
  await page.getByRole("button", { name: "Temporary chat" }).click();
  await chat.chooseModel("test-model");
  await chat.ask("Where");
  await chat.finished();
  const href = await chat.lastTurn.getByRole("link", { name: "Open run" }).getAttribute("href");
  const gate = await gateApi(page);
  gate.hold(/^\/api\/runs\//);
  await chat.goto(href ?? "");
  await expect(page.getByRole("main").getByRole("status", { name: "Loading" })).toHaveCSS("opacity", "1");
  gate.refuse();
  await expect(page.getByText("Couldn’t load the run.")).toBeVisible();
  await expectAccessible(page);
  gate.pass();
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(steps(page)).toHaveCount(1);

  await chat.goto("/runs/0197d6a2-0000-7000-8000-000000000000");
  await expect(page.getByRole("heading", { name: "Run not found" })).toBeVisible();
  await expectAccessible(page);
});
