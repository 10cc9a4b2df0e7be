import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

const poem = `name: poem
title: { en: Write a poem, ja: 詩を書く }
state: { topic: , tone: plain }
agent:
  type: loop
  name: polish
  maxIterations: 2
  agents:
    - type: llm
      name: poet
      outputKey: text
      tools: none
      instruction: A {tone} poem about {topic}.
`;

const editorOf = (page: Page) => page.getByRole("textbox", { name: "YAML of the agent" });

test("an agent is made with suggestions, told of its mistake at the line, saved, tried, changed elsewhere and deleted", async ({
  startWithModel,
  open,
}) => {
  const dir = mkdtempSync(join(tmpdir(), "meguri-edit-agents-"));
  const { app, model } = await startWithModel(
    [[say("Steam.")], [say("Steam rises.")], [say("Drops.")], [say("Drops fall.")]],
    { ...noServers, env: { AGENTS_DIR: dir } },
  );
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/agents");
  await expect(page.getByText("No agents yet.")).toBeVisible();
  await page.getByRole("button", { name: "New agent" }).click();
  const editor = editorOf(page);
  await expect(editor).toContainText("my-agent");
  await expect(page.getByRole("region", { name: "Steps" })).toContainText("writer");

  await editor.focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  eff");
  await page.getByRole("option", { name: /^effort/ }).click();
  await page.keyboard.type("extreme");
  const problem = page.getByRole("button", { name: /^Line 8: agent\.effort: / });
  await expect(problem).toBeVisible();
  await expect(page.getByText("As of the last text without a mistake.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await expectAccessible(page);
  await problem.click();
  await expect(editor).toBeFocused();

  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(poem);
  await expect(page.getByRole("region", { name: "Steps" })).toContainText("up to 2 rounds");
  await page.keyboard.press("ControlOrMeta+s");
  await expect(page.getByText("Agent poem saved")).toBeVisible();
  expect(readFileSync(join(dir, "poem.yaml"), "utf8")).toBe(poem);
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);

  // Somebody else writes the file: neither text is lost.
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  writeFileSync(join(dir, "poem.yaml"), `# theirs\n${poem}`);
  await page.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("The file has changed since it was loaded here.")).toBeVisible();
  await page.getByRole("button", { name: "Load the file" }).click();
  await expect(editor).toContainText("# theirs");

  const tool = page.getByRole("switch", { name: "A tool for programs" });
  await tool.click();
  await expect(tool).toBeChecked();
  const form = page.getByRole("form", { name: "Try it" });
  await form.getByRole("textbox", { name: "Question" }).fill("Go");
  await expect(form.getByRole("button", { name: "Run" })).toBeDisabled();
  await form.getByRole("textbox", { name: "topic" }).fill("tea");
  await form.getByRole("button", { name: "Run" }).click();
  await chat.finished();
  await expect(page).toHaveURL(/\/c\//);
  await expect(chat.lastTurn.getByText("Steam rises.")).toBeVisible();
  expect(JSON.stringify(model.requests[0]?.body.messages)).toContain("A plain poem about tea.");

  // In the message field the same is asked for; nothing is sent before it is there.
  await chat.goto("/");
  await expect(page.getByRole("button", { name: "Agent", exact: true })).toBeVisible();
  await chat.message.fill("@poem again");
  await chat.message.press("Enter");
  const topic = page
    .getByRole("group", { name: "What the agent begins with" })
    .getByRole("textbox", { name: "topic" });
  await expect(topic).toBeFocused();
  await expect(chat.message).toHaveValue("again");
  await expectAccessible(page);
  await topic.fill("rain");
  await topic.press("Enter");
  await chat.finished();
  expect(JSON.stringify(model.requests.at(-1)?.body.messages)).toContain("A plain poem about rain.");

  await chat.goto("/settings/agents?open=poem");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByText("No agents yet.")).toBeVisible();
  rmSync(dir, { recursive: true });
});

test("on a phone and in Japanese the list gives way to the agent, and nothing scrolls sideways", async ({
  app,
  open,
}) => {
  const chat = await open(app, {
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    locale: "ja-JP",
    colorScheme: "dark",
  });
  const { page } = chat;
  await chat.goto("/settings/agents");
  await page.getByRole("button", { name: /@document/ }).click();
  await expect(page.getByRole("region", { name: "手順" })).toContainText("最大 5 回");
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "エージェントの一覧" }).click();
  await expect(page.getByRole("button", { name: /@review/ })).toBeVisible();
  await expectNoSidewaysScroll(page);
});

test("a draft that was left is not saved over a file that changed meanwhile", async ({
  startWithModel,
  open,
}) => {
  const dir = mkdtempSync(join(tmpdir(), "meguri-edit-agents-"));
  const path = join(dir, "poem.yaml");
  writeFileSync(path, poem);
  const { app } = await startWithModel([[say("Steam.")]], { ...noServers, env: { AGENTS_DIR: dir } });
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/agents?open=poem");
  const editor = editorOf(page);
  await editor.focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine\n");
  await page.getByRole("button", { name: "New agent" }).click();
  await expect(editor).toContainText("my-agent");
  writeFileSync(path, `# theirs\n${poem}`);
  await page.getByRole("button", { name: /^@poem/ }).click();
  await expect(editor).toContainText("# mine");
  await expect(page.getByText("The file has changed since it was loaded here.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  expect(readFileSync(path, "utf8")).toContain("# theirs");
  await page.getByRole("button", { name: "Save anyway" }).click();
  await expect(page.getByText("Agent poem saved")).toBeVisible();
  expect(readFileSync(path, "utf8")).toBe(`# mine\n${poem}`);
  rmSync(dir, { recursive: true });
});
