import type { CDPSession, Page } from "@playwright/test";
import { callTools, fail } from "@/lib/providers/testing/steps";
import { expectAccessible } from "../support/check-page";
import { serverScript } from "../support/default-servers";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

test("a Japanese browser gets Japanese chat, settings and shared page, and tools answer in Japanese", async ({
  open,
  app,
}) => {
  const { page } = await open(app, { locale: "ja-JP" });
  await page.goto(app.baseUrl);
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
  await expect(page.getByRole("heading", { name: "何から始めましょうか" })).toBeVisible();
  await page.getByRole("button", { name: /ファイルの一覧を見せてください/ }).click();
  const message = page.getByRole("textbox", { name: "メッセージ" });
  await expect(message).toHaveValue("ファイルの一覧を見せてください");
  await message.press("Enter");
  await expect(page.getByRole("button", { name: "再生成" })).toBeEnabled();
  await expect(page.getByRole("button", { name: /^filesystem list_directory ?, 完了, / })).toBeVisible();
  await expect(page.getByText(/ には \d+ 件あります。/)).toBeVisible();
  await expect(page.getByRole("img", { name: "1 周目・完了" })).toBeVisible();

  await page.getByRole("button", { name: "共有", exact: true }).click();
  await page.getByRole("button", { name: "リンクを作成" }).click();
  const url = await page.getByRole("dialog").getByRole("textbox").inputValue();
  const stranger = await open(app, { locale: "ja-JP", stranger: true });
  await stranger.page.goto(url);
  await expect(stranger.page.getByText("共有されたコピー（閲覧のみ）")).toBeVisible();
  await expect(stranger.page.getByRole("link", { name: "ファイルに保存" })).toBeVisible();

  for (const [path, title] of [
    ["/settings/mcp", "MCP サーバー"],
    ["/settings/models", "モデル"],
    ["/settings/rules", "承認とルール"],
    ["/settings/clients", "クライアント"],
    ["/settings/schedules", "スケジュール"],
    ["/settings/hooks", "フック"],
    ["/settings/shares", "共有リンク"],
    ["/settings/look", "テーマと言語"],
  ] as const) {
    await page.goto(app.baseUrl + path);
    await expect(page.getByRole("heading", { name: title, level: 1 })).toBeVisible();
  }
});

test("what the server says is Japanese as well: a failed answer, a call, a server, a paste", async ({
  open,
  start,
  model,
}) => {
  const app = await start({
    env: { OPENAI_BASE_URL: model.url },
    mcpConfig: {
      mcpServers: {
        lost: { command: "no-such-command-here" },
        everything: { command: "node", args: [serverScript("everything")] },
      },
    },
  });
  const chat = await open(app, { locale: "ja-JP" });
  const { page } = chat;
  await chat.goto("/settings/mcp");
  const lost = page.getByRole("listitem").filter({ hasText: "lost" });
  await expect(
    lost.getByText("コマンド「no-such-command-here」が見つかりません。", { exact: false }),
  ).toBeVisible();
  await expect(lost.getByText("was not found")).toHaveCount(0);
  await chooseMore(page, "貼り付け", "その他");
  await page.getByRole("textbox", { name: "設定" }).fill('{"mcpServers": {"a": {"command": "x", 1: 2}}}');
  await expect(
    page.getByRole("alert").filter({
      hasText: "1 行目：二重引用符で囲んだ名前が必要です。「}」の前に余分な「,」がありませんか？",
    }),
  ).toBeVisible();
  await page.keyboard.press("Escape");

  model.script = [
    [callTools({ name: "everything__echo", args: { message: 1 } })],
    [fail(401, "no such key")],
  ];
  await chat.goto("/");
  await page.getByRole("button", { name: /^モデル：/ }).click();
  await page.getByRole("menuitemcheckbox", { name: /^test-model/ }).click();
  await page.getByRole("textbox", { name: "メッセージ" }).fill("鍵はありますか");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/未実行：.*everything__echo のスキーマに合いません。/)).toBeVisible();
  await expect(page.getByText(/API キー.*no such key/)).toBeVisible();
  await expectAccessible(page);
});

test("the language is changed in the settings, stays, and wins over the browser's", async ({
  chat,
  page,
}) => {
  await chat.goto("/settings/look");
  await page.getByText("日本語", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "テーマと言語" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "ja");
  await page.getByRole("link", { name: "会話に戻る" }).click();
  await expect(page.getByRole("heading", { name: "何から始めましょうか" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "何から始めましょうか" })).toBeVisible();
  await chat.goto("/settings/look");
  await page.getByText("English", { exact: true }).click();
  await expect(page.getByRole("heading", { name: "Theme and language" })).toBeVisible();
});

test("Enter never sends while an input method composes, and sends afterwards", async ({ chat, page }) => {
  await chat.goto("/");
  const ime = await inputMethod(page);
  await chat.message.focus();
  await ime.compose("さんまで");
  await expect(chat.message).toHaveValue("さんまで");
  await ime.enter();
  await ime.compose("3まで数えて");
  await ime.enter();
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.turns).toHaveCount(0);

  await ime.commit("3まで数えて");
  await expect(chat.message).toHaveValue("3まで数えて");
  await expect(chat.turns).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(chat.turns).toHaveCount(1);
  await chat.finished();
  await expect(chat.lastTurn.getByText("1 2 3.")).toBeVisible();
  await expect(chat.lastTurn.getByText("3まで数えて")).toBeVisible();
});

test("Enter while composing neither names a conversation nor asks a changed question", async ({
  chat,
  page,
}) => {
  await chat.askAnew("count to 2");
  const ime = await inputMethod(page);
  await page.getByRole("main").getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  const name = page.getByRole("textbox", { name: "Rename" });
  await expect(name).toBeFocused();
  await ime.compose("数える");
  await ime.enter();
  await expect(name).toBeFocused();
  await ime.commit("数える");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "数える", level: 1 })).toBeVisible();
  await expect(chat.conversation("数える").first()).toBeVisible();
});

test("Shift+Enter makes a new line, and a draft outlives a reload", async ({ chat, page }) => {
  await chat.goto("/");
  await chat.message.fill("first line");
  await chat.message.press("Shift+Enter");
  await page.keyboard.type("second line");
  await expect(chat.message).toHaveValue("first line\nsecond line");
  await page.reload();
  await expect(chat.message).toHaveValue("first line\nsecond line");
  await expect(chat.turns).toHaveCount(0);
  await chat.message.press("Enter");
  await expect(chat.turns).toHaveCount(1);
  await chat.finished();
  await page.reload();
  await expect(chat.message).toHaveValue("");
});

test("a prompt in the address fills the field and never sends", async ({ chat, page }) => {
  await chat.goto(`/c/new?prompt=${encodeURIComponent("list the files")}`);
  await expect(chat.message).toHaveValue("list the files");
  await expect(chat.turns).toHaveCount(0);
  await chat.message.press("Enter");
  await chat.finished();
  await expect(page).toHaveURL(/\/c\/[\w-]{10,}$/);
});

/** Composes as an input method does: what is typed is not in the text before it is committed, and Enter has code 229. */
async function inputMethod(page: Page) {
  const devtools: CDPSession = await page.context().newCDPSession(page);
  const key = (type: "rawKeyDown" | "keyUp", windowsVirtualKeyCode: number) =>
    devtools.send("Input.dispatchKeyEvent", { type, key: "Enter", code: "Enter", windowsVirtualKeyCode });
  return {
    compose: (text: string) =>
      devtools.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      }),
    /** Both kinds of Enter that browsers send: the code of the input method, and the key's own inside a composition. */
    enter: async () => {
      for (const code of [229, 13]) {
        await key("rawKeyDown", code);
        await key("keyUp", code);
      }
    },
    commit: (text: string) => devtools.send("Input.insertText", { text }),
  };
}
