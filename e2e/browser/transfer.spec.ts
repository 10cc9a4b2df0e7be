import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { apiOf } from "../support/api";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

const folder = mkdtempSync(join(tmpdir(), "meguri-transfer-"));
// Not after the tests: a process may run some of this file, of another one, and of this one again.
process.once("exit", () => rmSync(folder, { recursive: true }));

/** As ChatGPT writes them: a question and its answer each. */
const exported = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const node = (name: string, parent: string | null, role?: "user" | "assistant", text = "") => ({
      id: `${name}-${at}`,
      parent: parent && `${parent}-${at}`,
      children: [],
      message: role
        ? {
            id: `${name}-${at}`,
            author: { role },
            create_time: 1_700_000_000 + at,
            content: { content_type: "text", parts: [text] },
            metadata: {},
            recipient: "all",
          }
        : null,
    });
    const nodes = [
      node("root", null),
      node("q", "root", "user", `Question ${at}`),
      node("a", "q", "assistant", `Answer ${at}`),
    ];
    return {
      id: `conversation-${at}`,
      conversation_id: `conversation-${at}`,
      title: `Kept talk ${at}`,
      create_time: 1_700_000_000 + at,
      update_time: 1_700_000_000 + at,
      mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
      current_node: `a-${at}`,
    };
  });

function file(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("files are looked into, imported, and nothing twice; what is no export stays chosen and says why", async ({
  open,
  start,
}) => {
  const chat = await open(await start(noServers));
  const { page } = chat;
  await page.setViewportSize({ width: 390, height: 800 });
  await chat.goto("/settings/data");
  const section = page.getByRole("region", { name: "Import" });
  const choose = async (...paths: string[]) => {
    const chooser = page.waitForEvent("filechooser");
    await section.getByRole("button", { name: /files…$/ }).click();
    await (await chooser).setFiles(paths);
  };
  await choose(file("conversations.json", exported(12)), file("broken.json", "no export at all"));
  await expect(section.getByText(/from ChatGPT, November 2023/)).toBeVisible();
  await expect(section.getByRole("listitem").filter({ hasText: "12" }).first()).toContainText(
    "new conversations",
  );
  await expect(section.getByText("Nothing is stored yet.")).toBeVisible();
  await expect(
    section.getByRole("listitem").filter({ hasText: "broken.json" }).getByRole("alert"),
  ).toBeVisible();
  await expectAccessible(page);
  await expectNoSidewaysScroll(page);
  await section.getByRole("button", { name: "Put away broken.json" }).click();
  await section.getByRole("button", { name: "Import 12 conversations" }).click();
  await expect(section.getByText("12 conversations were imported.")).toBeVisible();
  await section.getByRole("link", { name: "Kept talk 0", exact: true }).click();
  await expect(page.getByText("Answer 0", { exact: true })).toBeVisible();

  await chat.goto("/settings/data");
  await choose(join(folder, "conversations.json"));
  await expect(section.getByText("Nothing in this file is new.")).toBeVisible();
  await expect(section.getByRole("button", { name: /^Import \d/ })).toHaveCount(0);
});

test("of more files than the list holds the rest is named, not dropped in silence", async ({
  chat,
  page,
}) => {
  await chat.goto("/settings/data");
  const paths = Array.from({ length: 22 }, (_, at) => file(`small-${at}.json`, "no export at all"));
  await page.setInputFiles("input[type=file]", paths);
  await expect(page.getByText("2 files were not added: the list holds 20 at a time.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Import" }).getByRole("listitem")).toHaveCount(20);
});

test("an import goes on beside other pages, is stopped with whole conversations, and gone on with", async ({
  open,
  start,
}) => {
  const app = await start(noServers);
  const chat = await open(app);
  const { page } = chat;
  await chat.goto("/settings/data");
  const section = page.getByRole("region", { name: "Import" });
  await page.setInputFiles("input[type=file]", file("many.json", exported(1500)));
  await section.getByRole("button", { name: "Import 1,500 conversations" }).click();
  await page.getByRole("link", { name: "Back to conversations" }).click();
  const told = page.getByText("Conversations are being imported.");
  await expect(told).toBeVisible();
  await page.getByRole("button", { name: "Show progress" }).click();
  await expect(told).toHaveCount(0);
  await expect(section.getByRole("progressbar")).toHaveAttribute("aria-valuetext", /of 1,500/);
  await section.getByRole("button", { name: "Stop" }).click();
  await expect(section.getByText("Stopped. What was imported stays.")).toBeVisible();
  await section.getByRole("button", { name: /^Import [\d,]+ conversations?$/ }).click();
  await expect(section.getByText(/conversations? (was|were) imported\.$/)).toBeVisible({ timeout: 60_000 });
  let count = 0;
  for (let cursor: string | null = ""; cursor !== null; ) {
    const list: { items: unknown[]; nextCursor: string | null } = await apiOf(app).get(
      `/api/conversations?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    count += list.items.length;
    cursor = list.nextCursor;
  }
  expect(count).toBe(1500);
});

test("everything is deleted after the typed words, and another tab leaves what it showed", async ({
  open,
  start,
}) => {
  const app = await start(noServers);
  const chat = await open(app, { locale: "ja-JP" });
  const { page } = chat;
  const { id } = await apiOf(app).post<{ id: string }>("/api/conversations", { title: "Gone soon" });
  await chat.goto(`/c/${id}`);
  const other = await page.context().newPage();
  await other.goto(`${app.baseUrl}/settings/data`);
  const section = other.getByRole("region", { name: "すべて削除" });
  const button = section.getByRole("button", { name: "すべて削除" });
  await expect(button).toBeDisabled();
  await section.getByRole("textbox").fill("削除");
  await expect(button).toBeDisabled();
  await expectAccessible(other);
  await section.getByRole("textbox").fill("すべて削除");
  await section.getByRole("textbox").press("Enter");
  await expect(section.getByText("すべて削除しました。")).toBeVisible();
  await page.waitForURL(`${app.baseUrl}/`);
  expect((await apiOf(app).get<{ items: unknown[] }>("/api/conversations")).items).toEqual([]);
});
