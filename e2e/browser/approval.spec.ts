import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { callTools, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, serversReady, test } from "../support/test";

const note = (name: string) => `Write a note called ${name} saying buy milk`;

test("a write waits with server, tool and arguments, and Ctrl+Enter allows it", async ({
  chat,
  page,
  app,
}) => {
  await chat.ask(note("allowed.md"));
  await expect(chat.card).toHaveAccessibleName(/^Allow “write file” for allowed\.md\?/);
  await expect(chat.card.getByText("filesystem · write_file")).toBeVisible();
  await expect(chat.card.getByText("No rule covers this tool.")).toBeVisible();
  await expect(chat.card.getByRole("textbox", { name: "path" })).toHaveValue("allowed.md");
  await expect(chat.card.getByRole("textbox", { name: "content" })).toHaveValue("buy milk\n");
  await expect(chat.card).toBeFocused();
  await expect(page).toHaveTitle(/^\(waiting for you\) /);
  await expect(chat.conversation("waiting Write a note called allowed.md")).toBeVisible();

  // A bare Enter never answers.
  await page.keyboard.press("Enter");
  await expect(chat.card).toBeVisible();
  expect(existsSync(join(app.sandbox, "allowed.md"))).toBe(false);
  await page.keyboard.press("Control+Enter");
  await chat.finished();
  await expect(chat.card).toHaveCount(0);
  await expect(chat.toolLine("filesystem write_file, done, ")).toBeVisible();
  expect(readFileSync(join(app.sandbox, "allowed.md"), "utf8")).toBe("buy milk\n");
  await expect(page).toHaveTitle(/^Write a note/);
  await expect(chat.conversation(/^waiting Write a note called allowed/)).toHaveCount(0);
});

test("D denies with the reason that was written, the model reads it, and nothing is done", async ({
  chat,
  page,
  app,
}) => {
  await chat.ask(note("denied.md"));
  const reason = chat.card.getByRole("textbox", { name: "Reason for the model" });
  await reason.fill("I do not drink milk");
  await reason.press("d");
  await expect(reason).toHaveValue("I do not drink milkd");
  await reason.press("Backspace");
  await chat.card.focus();
  await page.keyboard.press("d");
  await chat.finished();
  await expect(chat.toolLine("filesystem write_file, denied")).toBeVisible();
  await expect(chat.lastTurn.getByText("Denied by you: “I do not drink milk”.")).toBeVisible();
  // What the demo read, it quotes in its answer.
  await expect(chat.lastTurn.locator("[data-growing]").getByText("I do not drink milk")).toBeVisible();
  expect(existsSync(join(app.sandbox, "denied.md"))).toBe(false);
});

test("arguments can be changed before they are allowed, and the line says so", async ({ chat, app }) => {
  await chat.ask(note("changed.md"));
  await chat.card.getByRole("textbox", { name: "content" }).fill("buy tea\n");
  await expect(chat.card.getByText(/was buy milk/)).toBeVisible();
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  expect(readFileSync(join(app.sandbox, "changed.md"), "utf8")).toBe("buy tea\n");
  await chat.toolLine("filesystem write_file, done").click();
  await expect(chat.lastTurn.getByText("A person edited the arguments before it ran.")).toBeVisible();
});

test("nested arguments are edited as the schema of the tool describes them, and what cannot be read holds the answer back", async ({
  chat,
  page,
  app,
}) => {
  const path = join(app.sandbox, "menu.txt");
  writeFileSync(path, "tea\ncake\n");
  const edits = [{ oldText: "tea", newText: "coffee" }];
  await chat.ask(`/tool filesystem__edit_file ${JSON.stringify({ path, edits })}`);
  const first = chat.card.getByRole("group", { name: "edits 1" });
  await expect(first.getByRole("textbox", { name: "newText" })).toHaveValue("coffee");
  await first.getByRole("textbox", { name: "newText" }).fill("green tea");
  await chat.card.getByRole("button", { name: "Add to edits" }).click();
  const second = chat.card.getByRole("group", { name: "edits 2" });
  await second.getByRole("textbox", { name: "oldText" }).fill("cake");
  await second.getByRole("textbox", { name: "newText" }).fill("pie");
  await chat.card.getByRole("button", { name: "Add dryRun" }).click();
  await expect(chat.card.getByRole("switch", { name: "dryRun" })).not.toBeChecked();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  expect(readFileSync(path, "utf8")).toBe("green tea\npie\n");

  const tool = "mcp:everything:trigger-long-running-operation";
  const rules = (list: object[]) => apiOf(app).send("PATCH", "/api/settings", { rules: list });
  await rules([{ pattern: tool, effect: "ask" }]);
  await chat.ask('/tool everything__trigger-long-running-operation {"duration": 1, "steps": 1}');
  const duration = chat.card.getByRole("textbox", { name: "duration" });
  await duration.fill("soon");
  await expect(chat.card.getByText("must be a number")).toBeVisible();
  await expect(chat.card.getByRole("button", { name: "Allow once" })).toBeDisabled();
  await duration.fill("0.1");
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  await expect(chat.toolLine("everything trigger-long-running-operation, done")).toBeVisible();
  await rules([]);
});

test("a tool that is always allowed does not ask again, until its rule is removed", async ({
  chat,
  page,
  app,
}) => {
  const make = (name: string) => `/tool filesystem__create_directory {"path": "${join(app.sandbox, name)}"}`;
  await chat.ask(make("one"));
  await expect(chat.card).toBeFocused();
  await page.keyboard.press("Shift+A");
  await chat.finished();
  await chat.ask(make("two"));
  await chat.finished();
  expect(existsSync(join(app.sandbox, "two"))).toBe(true);

  await chat.goto("/settings/rules");
  await page.getByRole("button", { name: /^Remove the rule for .*create_directory/ }).click();
  await expect(page.getByText(/^The rule for .* was removed/)).toBeVisible();
  await chat.goto("/");
  await chat.ask(make("three"));
  await expect(chat.card).toBeVisible();
  expect(existsSync(join(app.sandbox, "three"))).toBe(false);
  await chat.card.getByRole("button", { name: "Deny" }).click();
  await chat.finished();
});

test("the card stays through a reload and through a restart of Meguri, and answers after both", async ({
  start,
  open,
}) => {
  const app = await start();
  await serversReady(app);
  const chat = await open(app);
  await chat.ask(note("later.md"));
  await expect(chat.card).toBeVisible();
  await chat.page.reload();
  await expect(chat.card.getByRole("textbox", { name: "path" })).toHaveValue("later.md");
  await app.restart();
  await chat.page.reload();
  await expect(chat.card.getByRole("textbox", { name: "path" })).toHaveValue("later.md");
  await expect(chat.conversation(/^waiting Write a note/)).toBeVisible();
  await chat.card.getByRole("button", { name: "Allow once" }).click();
  await chat.finished();
  await expect(chat.toolLine("filesystem write_file, done, ")).toBeVisible();
  expect(readFileSync(join(app.sandbox, "later.md"), "utf8")).toBe("buy milk\n");
});

test("what one tab answers, the other tab shows by itself", async ({ chat, page }) => {
  await chat.ask(note("tabs.md"));
  await expect(chat.card).toBeVisible();
  const other = chat.sibling(await page.context().newPage());
  await other.page.goto(page.url());
  await expect(other.card).toBeVisible();
  await other.card.getByRole("button", { name: "Deny" }).click();
  await other.finished();
  await chat.finished();
  await expect(chat.card).toHaveCount(0);
  await expect(chat.toolLine("filesystem write_file, denied")).toBeVisible();
  await expect.poll(() => chat.thread()).toEqual(await other.thread());
});

test("two questions of one turn are asked one after the other, with the focus in the one that is seen", async ({
  chat,
  page,
  app,
}) => {
  const make = (name: string) => `/tool filesystem__write_file {"path": "${name}", "content": "x"}`;
  const has = (name: string) => existsSync(join(app.sandbox, name));
  await chat.ask(`${make("first.md")}\n${make("second.md")}`);
  await expect(chat.card).toHaveAccessibleName(/first\.md/);
  await expect(chat.card.getByText("1 of 2").filter({ visible: true })).toHaveCount(1);
  await expect(chat.card).toBeFocused();
  // What was changed in a question is still there when one comes back to it.
  await chat.card.getByRole("textbox", { name: "content" }).fill("y");
  await chat.card.focus();
  await page.keyboard.press("ArrowRight");
  await expect(chat.card).toHaveAccessibleName(/second\.md/);
  await expect(chat.card).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(chat.card.getByRole("textbox", { name: "content" })).toHaveValue("y");
  await expect(chat.card.getByRole("button", { name: "Allow once" })).toBeEnabled();
  await expect(chat.card).toBeFocused();
  // Pressed twice in a row it answers the one that was seen, and not the next, which is there at that moment.
  const pressedAgain = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const press = () => {
          const card = document.querySelector("[data-card]:not([hidden])");
          if (!card?.querySelector("h3")?.textContent?.includes("second.md")) return;
          observer.disconnect();
          const keys = { key: "Enter", ctrlKey: true, bubbles: true };
          card.dispatchEvent(new KeyboardEvent("keydown", keys));
          card.querySelector<HTMLButtonElement>("button[aria-keyshortcuts~='Control+Enter']")?.click();
          resolve();
        };
        const observer = new MutationObserver(press);
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      }),
  );
  await page.keyboard.press("Control+Enter");
  await pressedAgain;
  await expect(chat.card).toHaveAccessibleName(/second\.md/);
  await expect(chat.card).toBeFocused();
  await expect(chat.lastTurn.getByText("allowed, waiting for the other answers")).toBeVisible();
  expect(has("first.md")).toBe(false);
  await page.reload();
  await expect(chat.lastTurn.getByText("allowed, waiting for the other answers")).toBeVisible();

  // On a phone the pinned answers name their question, and Stop is among them.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(chat.card).toHaveAccessibleName(/second\.md/);
  await expect(chat.card.locator("[data-card-bar]").getByText("second.md")).toBeInViewport();
  await expect(chat.stop).toBeInViewport();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });

  // Enter sends the reason, and the message field has the focus again.
  const reason = chat.card.getByRole("textbox", { name: "Reason for the model" });
  await reason.fill("one is enough");
  await reason.press("Enter");
  await chat.finished();
  await expect(chat.lastTurn.getByText("Denied by you: “one is enough”.")).toBeVisible();
  await expect(chat.message).toBeFocused();
  expect([readFileSync(join(app.sandbox, "first.md"), "utf8"), has("second.md")]).toEqual(["y", false]);
});

test("a question that was left open is not told as denied, and one out of sight is shown before keys answer", async ({
  chat,
  page,
  app,
  model,
}) => {
  const lines = Array.from({ length: 60 }, (_, at) => `${at}`).join("\n\n");
  const call = { name: "filesystem__write_file", args: { path: join(app.sandbox, "left.md"), content: "x" } };
  model.script = [[say(lines), callTools(call)]];
  await chat.chooseModel("test-model");
  await chat.ask("Write it down");
  await expect(chat.card).toBeFocused();
  await page.mouse.move(700, 300);
  await page.mouse.wheel(0, -5_000);
  await expect(chat.card).not.toBeInViewport();
  await page.keyboard.press("Control+Enter");
  await expect(chat.card).toBeInViewport();
  await expect(chat.card.getByRole("button", { name: "Allow once" })).toBeEnabled();
  await chat.stop.click();
  await expect(chat.toolLine("filesystem write_file, not run")).toBeVisible();
  await expect(
    chat.lastTurn.getByText("Not run: you stopped this answer before the call was sent."),
  ).toBeVisible();
  await expect(chat.lastTurn.getByText("Denied by you")).toHaveCount(0);
  expect(existsSync(join(app.sandbox, "left.md"))).toBe(false);
});

test("to stop and ask goes on without the answer that was waited for", async ({ chat, app }) => {
  await chat.ask(note("ignored.md"));
  await expect(chat.card).toBeVisible();
  await chat.message.fill("count to 3");
  await chat.message.press("Shift+Control+Enter");
  await expect(chat.turns).toHaveCount(2);
  await chat.finished();
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
  await expect(chat.card).toHaveCount(0);
  expect(existsSync(join(app.sandbox, "ignored.md"))).toBe(false);
});

test("rules are added, changed and tried out in the settings", async ({ chat, page, app }) => {
  await serversReady(app);
  await chat.goto("/settings/rules");
  const tester = page.getByRole("region", { name: "Test a tool" });
  const tryOut = (tool: string) => tester.getByRole("combobox").selectOption({ label: tool });
  await tryOut("write_file");
  await expect(tester.getByRole("status")).toHaveText(/^It would ask you\. No rule matches/);
  await tryOut("read_text_file");
  await expect(tester.getByRole("status")).toHaveText(/^It would run\. .*only reads/);

  const tools = page.getByRole("combobox", { name: "Tools" });
  await tools.fill("filesystem");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(page.getByText("must look like mcp:filesystem:write_file")).toBeVisible();
  await tools.fill("mcp:nobody:*");
  await expect(page.getByText("Matches no connected tool now; applies when one appears.")).toBeVisible();
  await tools.fill("mcp:filesystem:*");
  await expect(page.getByText(/^Matches \d+ tools: filesystem · /)).toBeVisible();
  await page.getByRole("group", { name: "When called" }).getByText("never").click();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await tryOut("write_file");
  await expect(tester.getByRole("status")).toHaveText(
    "It would be denied. The rule mcp:filesystem:* applies.",
  );
  await page
    .getByRole("group", { name: "When mcp:filesystem:* is called" })
    .getByText("allow", { exact: true })
    .click();
  await expect(tester.getByRole("status")).toHaveText("It would run. The rule mcp:filesystem:* applies.");
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await expectNoSidewaysScroll(page);
  await page.getByRole("button", { name: "Remove the rule for mcp:filesystem:*" }).click();
  await expect(tester.getByRole("status")).toHaveText(/^It would ask you/);
});
