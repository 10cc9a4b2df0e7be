import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { noisyPng } from "@/lib/providers/testing/files";
import { callTools, say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, type ScriptedModel, serversReady, test } from "../support/test";

const png = noisyPng(60);

/** The model moves the file that it was told of into the folder of the server, under this name. */
function moveTo(model: ScriptedModel, destination: string) {
  model.script = ({ body }, index) => {
    const [source] = /attachment:[\da-f-]{36}/.exec(JSON.stringify(body.messages)) ?? ["it was not told"];
    return index === 0
      ? [callTools({ name: "filesystem__move_file", args: { source, destination } })]
      : [say("Moved.")];
  };
}

async function attach(page: Page, button: string) {
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: button }).click();
  await (await chooser).setFiles({ name: "dot.png", mimeType: "image/png", buffer: png });
  await expect(page.getByRole("listitem").filter({ hasText: "dot.png" })).toBeVisible();
  await expect(page.getByRole("progressbar")).toHaveCount(0);
}

test("the card shows which file a tool gets, and the tool gets it", async ({ chat, page, app, model }) => {
  await serversReady(app);
  const kept = join(app.sandbox, "kept.png");
  moveTo(model, kept);
  await chat.goto("/");
  await chat.chooseModel("test-model");
  await attach(page, "Attach files");
  await chat.ask("Keep this");
  const link = chat.card.getByRole("list", { name: "Files it gets" }).getByRole("link");
  await expect(link).toHaveAccessibleName(/^dot\.png image\/png · \d+ kB$/);
  await expect(chat.card).toHaveAccessibleName(/^Allow “move file”/);
  const file = await page.request.get(new URL((await link.getAttribute("href")) ?? "", app.baseUrl).href);
  expect((await file.body()).equals(png)).toBe(true);
  const source = chat.card.getByRole("textbox", { name: "source" });
  const reference = await source.inputValue();
  await source.fill("attachment:00000000-0000-7000-8000-000000000000");
  await expect(chat.card.getByText(/isn’t in this conversation any more/)).toBeVisible();
  await source.fill(reference);
  await expect(link).toBeVisible();
  await expectAccessible(page);
  expect(existsSync(kept)).toBe(false);
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  expect(readFileSync(kept).equals(png)).toBe(true);
});

test("on a phone, in the dark and in Japanese the file is named, and a denied one goes nowhere", async ({
  open,
  app,
  model,
}) => {
  await serversReady(app);
  const denied = join(app.sandbox, "denied.png");
  moveTo(model, denied);
  const { page } = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
  });
  await page.goto(app.baseUrl);
  await page.getByRole("button", { name: /^モデル/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await attach(page, "ファイルを添付");
  await page.getByRole("textbox", { name: "メッセージ" }).fill("これを保存して");
  await page.getByRole("button", { name: "送信", exact: true }).click();
  const link = page.getByRole("list", { name: "渡すファイル" }).getByRole("link");
  await expect(link).toHaveAccessibleName(/^dot\.png image\/png · \d+ KB$/);
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.getByRole("button", { name: "拒否", exact: true }).click();
  await expect(page.getByText("Moved.")).toBeVisible();
  expect(existsSync(denied)).toBe(false);
  expect(existsSync(join(app.sandbox, ".meguri"))).toBe(existsSync(join(app.sandbox, "kept.png")));
});
