import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, test } from "../support/test";

const dir = mkdtempSync(join(tmpdir(), "meguri-skills-"));
const write = (folder: string, text: string) => {
  mkdirSync(join(dir, folder), { recursive: true });
  writeFileSync(join(dir, folder, "SKILL.md"), text);
};
// Both may run in one process, each with the hooks of its own.
test.beforeAll(() => {
  write("report", "---\nname: report\ndescription: Writes weekly reports.\n---\n\nBegin with a summary.\n");
  write("broken", "Begin.");
});
// Not after the tests: a process may run some of this file, of another one, and of this one again.
process.once("exit", () => rmSync(dir, { recursive: true }));

const setting = { mcpConfig: { mcpServers: {} }, env: { SKILLS_DIR: dir } };
const text = "Write the report of {{team}} in {{language}}.";

test("a prompt is kept and filled in under /, a skill is chosen there and read by the model", async ({
  startWithModel,
  open,
}) => {
  const read = callTools({ name: "meguri__read_skill", args: { name: "report" } });
  const { app, model } = await startWithModel([[say("Fine.")], [read], [say("Read.")]], setting);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/prompts");
  await expect(page.getByText("SKILL.md must begin with")).toBeVisible();
  await page.getByRole("button", { name: "New prompt" }).click();
  await page.getByRole("textbox", { name: "Text" }).fill(text);
  await expect(page.getByText("Variables: {{team}} {{language}}")).toBeVisible();
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Enter a name.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("Weekly report");
  await expectAccessible(page);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByRole("heading", { name: "Weekly report" })).toBeFocused();

  // What is typed while it is saved stays, as a draft.
  const held = Promise.withResolvers<void>();
  await page.route("**/api/prompts/*", async (route) => {
    await held.promise;
    await route.continue();
  });
  const name = page.getByRole("textbox", { name: "Name" });
  const words = page.getByRole("textbox", { name: "Text" });
  await name.fill("Monthly report");
  await page.keyboard.press("ControlOrMeta+s");
  await words.fill(`${text} Be brief.`);
  held.resolve();
  await expect(page.getByText("Monthly report saved")).toBeVisible();
  await expect(words).toHaveValue(`${text} Be brief.`);
  await name.fill("Weekly report");
  await words.fill(text);
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByRole("heading", { name: "Weekly report" })).toBeVisible();

  await chat.goto("/");
  await chat.message.fill("/weekly r");
  await expect(page.getByRole("option", { name: /Weekly report/ })).toBeVisible();
  await expectAccessible(page);
  await chat.message.press("Enter");
  const form = page.getByRole("form", { name: "Weekly report" });
  await expect(form.getByLabel("team")).toBeFocused();
  await page.keyboard.type("Sales");
  await page.keyboard.press("Escape");
  await expect(chat.message).toBeFocused();
  await chat.message.fill("/");
  await page.getByRole("option", { name: /Weekly report/ }).click();
  await expect(form.getByLabel("team")).toHaveValue("Sales");
  await expect(form.getByLabel("language")).toBeFocused();
  await page.keyboard.type("{{team}}");
  await expectAccessible(page);
  await page.keyboard.press("Enter");
  await expect(chat.message).toHaveValue("Write the report of Sales in {{team}}.");
  await expect(chat.message).toBeFocused();
  await page.keyboard.type(" Be brief.");
  await chat.message.press("Enter");
  await chat.finished();
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("in {{team}}. Be brief.");

  await chat.message.fill("/rep");
  await page.getByRole("option", { name: /^\/report skill · Writes weekly reports\./ }).click();
  await expect(chat.message).toHaveValue("Use the skill “report”: ");
  await page.keyboard.type("last week");
  await chat.message.press("Enter");
  await chat.finished();
  await expect(chat.toolLine("meguri read_skill, done")).toBeVisible();
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("Begin with a summary.");
});

test("on a phone, in Japanese, in the dark: two tabs, the list, the fields and the page", async ({
  startWithModel,
  open,
}) => {
  const { app } = await startWithModel([[say("Fine.")]], setting);
  const options = { locale: "ja-JP", colorScheme: "dark", viewport: { width: 390, height: 844 } } as const;
  const { page } = await open(app, options);
  await page.goto(`${app.baseUrl}/`);
  await apiOf(app).post("/api/prompts", { name: "週報", text: "{{チーム名}}の週報を書いて。" });
  const message = page.getByRole("textbox", { name: "メッセージ" });
  await message.fill("/");
  await expect(page.getByRole("option", { name: /report/ })).toContainText("スキル");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("option", { name: /週報/ }).click();
  await page.getByLabel("チーム名").fill("営業部");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "挿入" }).click();
  await expect(message).toHaveValue("営業部の週報を書いて。");

  await page.goto(`${app.baseUrl}/settings/prompts`);
  await expect(page.getByText("SKILL.md は、ハイフン 3 つの行")).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(`${app.baseUrl}/settings/prompts`);
  await other.getByRole("button", { name: /^週報/ }).click();
  await expectAccessible(other);
  await expectNoSidewaysScroll(other);
  await other.getByRole("button", { name: "削除" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "削除" }).click();
  await expect(page.getByText("プロンプトはまだありません。")).toBeVisible();
});
