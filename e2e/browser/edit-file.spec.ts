import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const entry = (more: object = {}) => ({ command: "node", args: ["-e", "0"], disabled: true, ...more });
const mcpConfig = {
  mcpServers: { one: entry({ env: { ACCESS_TOKEN: "correct-horse-battery" } }), two: entry() },
};
const onDisk = (app: App) => JSON.parse(readFileSync(app.mcpConfig, "utf8"));
const editorOf = (page: Page) => page.getByRole("textbox", { name: /^(File|ファイル)$/ });

/** Puts a text in the place of what stands in the editor. */
async function rewrite(page: Page, change: (text: string) => string): Promise<void> {
  const editor = editorOf(page);
  const lines = await page.locator(".cm-line").allTextContents();
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(change(lines.join("\n")));
}

test("the whole file is edited as JSON: faults at their lines, what would change, and what is masked stays", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig });
  const { page } = await open(app);
  await page.goto(`${app.baseUrl}/settings/mcp`);
  await chooseMore(page, "Edit as JSON");
  const dialog = page.getByRole("dialog", { name: "Edit as JSON" });
  const changes = dialog.getByRole("region", { name: "Changes when you save" });
  await expect(editorOf(page)).toContainText('"ACCESS_TOKEN": "••••tery"');
  await expect(changes).toContainText("No changes yet.");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();
  await expectAccessible(page);

  const problems = dialog.getByRole("list", { name: "Problems" });
  await rewrite(page, (text) => text.replace('"two": {', '"one": {},\n    "two": {\n      "timout": 1,'));
  await expect(problems).toContainText("Line 14: “one” appears twice.");
  await expect(problems).toContainText("Line 16: “timout” is unknown here. Did you mean timeout?");
  await expect(dialog.getByRole("button", { name: "Save" })).toBeDisabled();

  await rewrite(page, (text) =>
    text
      .replace('    "one": {},\n', "")
      .replace('      "timout": 1,\n', "")
      .replace(
        '"two": {',
        '"three": {\n      "command": "node"\n    },\n    "two": {\n      "timeout": 5000,',
      ),
  );
  await expect(problems.getByRole("listitem")).toHaveCount(0);
  await expect(changes.getByRole("listitem")).toHaveText([
    "three is added · needs your approval before it starts",
    "two changes: timeout",
  ]);
  await expectAccessible(page);

  // Closed by a slip, it asks; what was written stays.
  await page.keyboard.press("Escape");
  const question = dialog.getByRole("alert");
  await expect(question).toHaveText("You have unsaved changes.");
  await page.keyboard.press("Escape");
  await expect(question).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(question).toBeVisible();
  // The same where nothing in it has the focus, and the browser closes it by itself.
  await changes.click();
  for (const asked of [0, 1, 0, 1]) {
    await page.keyboard.press("Escape");
    await expect(question).toHaveCount(asked);
    await expect(dialog).toBeVisible();
  }
  await dialog.getByRole("button", { name: "Keep editing" }).click();
  await expect(editorOf(page)).toContainText('"three"');
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("File saved. One server needs your approval.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect(onDisk(app).mcpServers).toEqual({
    one: mcpConfig.mcpServers.one,
    three: { command: "node" },
    two: entry({ timeout: 5000 }),
  });
});

test("fields are suggested inside an entry, and none that are there", async ({ start, open }) => {
  const app = await start({ mcpConfig });
  const { page } = await open(app);
  await page.goto(`${app.baseUrl}/settings/mcp`);
  await chooseMore(page, "Edit as JSON");
  await expect(editorOf(page)).toContainText("ACCESS_TOKEN");
  await rewrite(page, () => '{"mcpServers": {"a": {"command": "x", ');
  await page.keyboard.type("d");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list.getByRole("option")).toHaveText([/^disabled/, /^deferred/, /^disabledTools/]);
  await list.getByRole("option").first().click();
  await expect(editorOf(page)).toContainText('"disabled": true');
});

test("when the file changes on disk meanwhile nothing is lost: it is said, shown and decided", async ({
  start,
  open,
}) => {
  const app = await start({ mcpConfig });
  const { page } = await open(app);
  await page.goto(`${app.baseUrl}/settings/mcp`);
  await chooseMore(page, "Edit as JSON");
  const dialog = page.getByRole("dialog", { name: "Edit as JSON" });
  const changes = dialog.getByRole("region", { name: "Changes when you save" });
  await expect(editorOf(page)).toContainText("ACCESS_TOKEN");
  await rewrite(page, (text) => text.replace('"two": {', '"two": {\n      "timeout": 5000,'));
  await expect(changes.getByRole("listitem")).toHaveText(["two changes: timeout"]);
  const late = { mcpServers: { ...mcpConfig.mcpServers, late: entry() } };
  writeFileSync(app.mcpConfig, JSON.stringify(late, null, 2));
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(changes).toContainText("The file has changed on disk since you opened it.");
  await expect(changes.getByRole("listitem")).toHaveText([
    "two changes: timeout",
    "late is removed, with its stored secrets, sign-in and approval",
  ]);
  await expect(editorOf(page)).toContainText('"timeout": 5000');
  expect(onDisk(app)).toEqual(late);
  await expectAccessible(page);
  await page.route("**/api/mcp/file", (route) => route.abort());
  await dialog.getByRole("button", { name: "Reload file" }).click();
  await expect(dialog.getByRole("alert")).toBeVisible();
  await expect(editorOf(page)).toContainText('"timeout": 5000');
  await expect(dialog.getByRole("button", { name: "Overwrite" })).toBeEnabled();
  await page.unroute("**/api/mcp/file");
  await dialog.getByRole("button", { name: "Reload file" }).click();
  await expect(editorOf(page)).toContainText('"late"');
  await rewrite(page, (text) => text.replace('"two": {', '"two": {\n      "timeout": 7000,'));
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("File saved.")).toBeVisible();
  expect(onDisk(app).mcpServers).toEqual({ ...late.mcpServers, two: entry({ timeout: 7000 }) });
});

test("on a phone, in Japanese and in the dark, the whole file can be edited", async ({ start, open }) => {
  const app = await start({ mcpConfig });
  const { page } = await open(app, {
    ...{ locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } },
    ...{ isMobile: true, hasTouch: true },
  });
  await page.goto(`${app.baseUrl}/settings/mcp`);
  await expectNoSidewaysScroll(page);
  await chooseMore(page, "JSON で編集", "その他");
  await expect(editorOf(page)).toContainText("ACCESS_TOKEN");
  await rewrite(page, (text) => text.replace('"two": {', '"two": {\n      "wrong": 1,\n      "timeout": 0,'));
  await expect(page.getByRole("list", { name: "問題点" })).toContainText("15 行目");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
});
