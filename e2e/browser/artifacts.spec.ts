import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { FrameLocator, Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { expect, type ScriptedModel, test } from "../support/test";

const page = (title: string, body: string) =>
  `Here it is.\n\n\`\`\`html title="${title}"\n<!doctype html>\n<p>${body}</p>\n\`\`\`\n\nThat is all.`;

/** A conversation in which the model has said these, and its path. */
async function conversation(
  app: App,
  model: ScriptedModel,
  answers: Record<string, string>,
): Promise<string> {
  const api = apiOf(app);
  let conversationId: string | undefined;
  for (const [text, answer] of Object.entries(answers)) {
    model.script = [[say(answer, { pieces: 3 })]];
    const asked = await api.ask(text, {
      ...{ model: "openai/test-model", servers: [] },
      ...(conversationId && { conversationId }),
    });
    await asked.closed;
    ({ conversationId } = await api.run(asked.runId));
  }
  return `/c/${conversationId}`;
}

/** Where programs run. */
async function programsOf(app: App): Promise<string> {
  const html = await (await app.fetch("/")).text();
  return /data-programs="([^"]+)"/.exec(html)?.[1] ?? "";
}

const sheet = (tab: Page, name: string) => tab.getByRole("complementary", { name });
const inside = (tab: Page, name: string): FrameLocator =>
  sheet(tab, name).frameLocator("iframe").frameLocator("iframe");

test("documents are rows that open beside the thread, with their versions, and come back after a reload", async ({
  open,
  app,
  model,
}) => {
  const path = await conversation(app, model, {
    "Draw the refunds": page("Refunds", "first"),
    "Leave out 4.17": page("Refunds", "second"),
  });
  const chat = await open(app, { visits: [await programsOf(app)] });
  await chat.goto(path);
  const tab = chat.page;
  const rows = tab.getByRole("button", { name: /^Refunds/ });
  await expect(rows).toHaveText([/HTML, 2 lines$/, /HTML, 2 lines, version 2$/]);
  await rows.last().press("Enter");
  const opened = sheet(tab, "Refunds");
  await expect(opened).toBeFocused();
  await expect(rows.last()).toHaveAttribute("aria-expanded", "true");
  // It reaches as far beyond the words at its end as at its beginning.
  const [closed, chosen] = [await rows.first().boundingBox(), await rows.last().boundingBox()];
  expect(chosen?.width).toBeCloseTo((closed?.width ?? 0) + 24, 0);
  await expect(opened.getByText("after “Leave out 4.17”")).toBeVisible();
  await expectAccessible(tab);
  await opened.getByRole("button", { name: "Run" }).click();
  await expect(inside(tab, "Refunds").getByText("second")).toBeVisible();
  await expect(opened.getByText("Running, shut in")).toBeVisible();
  // The other version is another program.
  await opened.getByRole("button", { name: "Previous version" }).click();
  await expect(opened.getByRole("heading", { name: "Run this page?" })).toBeVisible();
  await opened.getByRole("tab", { name: "Code" }).click();
  await expect(opened.getByText("<p>first</p>")).toBeVisible();
  const edge = opened.getByRole("separator");
  const before = Number(await edge.getAttribute("aria-valuenow"));
  await edge.press("ArrowLeft");
  await expect(edge).toHaveAttribute("aria-valuenow", String(before + 1));
  await tab.reload();
  await expect(opened.getByText("1 of 2")).toBeVisible();
  await tab.goBack();
  await expect(opened).toBeHidden();
  await expect(rows.first()).toBeVisible();
  await rows.last().press("Enter");
  await expect(opened).toBeFocused();
  await tab.keyboard.press("Alt+ArrowLeft");
  await expect(opened.getByText("1 of 2")).toBeVisible();
  await tab.keyboard.press("Escape");
  await expect(opened).toBeHidden();
  await expect(rows.last()).toBeFocused();
});

test("a hostile page reaches nobody, reads nothing, and is taken away when it leaves", async ({
  open,
  app,
  model,
}) => {
  const reached: string[] = [];
  const stranger = createServer(({ url = "" }, response) => {
    reached.push(url);
    response.end("got you");
  });
  await once(stranger.listen(0, "127.0.0.1"), "listening");
  const evil = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  const hostile = readFileSync(join(import.meta.dirname, "../support/hostile-page.html"), "utf8")
    .replaceAll("EVIL", evil)
    .replaceAll("OURS", app.baseUrl);
  const path = await conversation(app, model, {
    hostile: `\`\`\`html\n${hostile}\n\`\`\``,
  });
  const chat = await open(app, { visits: [await programsOf(app), evil], refused: /./ });
  await chat.goto(path);
  const tab = chat.page;
  await tab.getByRole("button", { name: /^Hostile/ }).click();
  await sheet(tab, "Hostile").getByRole("button", { name: "Run" }).click();
  const tried = inside(tab, "Hostile").getByRole("listitem");
  await expect(tried.filter({ hasText: "the end: reached" })).toBeVisible();
  await expect(tried.filter({ hasText: "from inside" })).toBeVisible();
  const got = await tried.allTextContents();
  for (const refused of [
    ...["top document", "top address", "storage", "cookie", "navigate", "fetch", "our API", "peer"],
  ])
    expect(got).toContain(`${refused}: refused`);
  for (const nothing of ["popup", "dialog"]) expect(got).toContain(`${nothing}: nothing`);
  // Its refresh comes after two seconds: it is taken away.
  await expect(sheet(tab, "Hostile").getByText("tried to leave its frame")).toBeVisible();
  expect(tab.url()).toContain(path);
  expect(tab.context().pages()).toHaveLength(1);
  expect(reached).toEqual([]);
  stranger.close();
});

test("on a phone, in Japanese and dark, the sheet is the whole screen, and Back closes it; a drawing is a picture", async ({
  open,
  app,
  model,
}) => {
  const layer = (id: number) => `<g id="l${id}">${`<use href="#l${id - 1}"/>`.repeat(10)}</g>`;
  const bomb = `<svg xmlns="http://www.w3.org/2000/svg"><g id="l0"><rect width="1" height="1"/></g>${[1, 2, 3, 4, 5, 6, 7].map(layer).join("")}</svg>`;
  const drawing =
    '<svg viewBox="0 0 9 9"><title>丸</title><script>top.x = 1</script><circle cx="4" cy="4" r="3"/></svg>';
  const path = await conversation(app, model, {
    図: `\`\`\`svg\n${drawing}\n\`\`\`\n\n\`\`\`svg title="bomb"\n${bomb}\n\`\`\`\n\n\`\`\`md\n# 計画\n\n- 一つ目\n\`\`\``,
  });
  const chat = await open(app, {
    visits: [await programsOf(app)],
    ...{ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ...{ locale: "ja-JP", colorScheme: "dark" },
  });
  await chat.goto(path);
  const tab = chat.page;
  await tab.getByRole("button", { name: /^丸/ }).tap();
  const opened = sheet(tab, "丸");
  await expect(opened.getByRole("img", { name: "丸" })).toBeVisible();
  expect(await opened.boundingBox()).toMatchObject({ x: 0, y: 0, width: 390 });
  await expectAccessible(tab);
  await expectNoSidewaysScroll(tab);
  await tab.goBack();
  await expect(opened).toBeHidden();
  await tab.getByRole("button", { name: /^bomb/ }).tap();
  await expect(sheet(tab, "bomb").getByText("この図は表示できません。")).toBeVisible();
  await tab.goBack();
  await tab.getByRole("button", { name: /^計画/ }).tap();
  await expect(sheet(tab, "計画").getByRole("heading", { name: "計画" }).last()).toBeVisible();
  await expect(sheet(tab, "計画").getByText("一つ目")).toBeVisible();
  await expectAccessible(tab);
});

test("a shared page has its documents in its HTML, and as rows that open once its script runs", async ({
  open,
  app,
  model,
}) => {
  const path = await conversation(app, model, { "Draw it": page("Shared", "for all") });
  const { token } = await apiOf(app).post<{ token: string }>(`/api/conversations${path.slice(2)}/shares`, {
    accept: true,
  });
  expect(await (await fetch(`${app.baseUrl}/share/${token}`)).text()).toContain("&lt;p&gt;for all&lt;/p&gt;");
  const chat = await open(app, { stranger: true, visits: [await programsOf(app)] });
  await chat.goto(`/share/${token}`);
  const tab = chat.page;
  await tab.getByRole("button", { name: /^Shared/ }).click();
  await sheet(tab, "Shared").getByRole("button", { name: "Run" }).click();
  await expect(inside(tab, "Shared").getByText("for all")).toBeVisible();
  const [saved] = await Promise.all([
    tab.waitForEvent("download"),
    sheet(tab, "Shared").getByRole("button", { name: "Download" }).click(),
  ]);
  expect(saved.suggestedFilename()).toBe("Shared.html");
  await expectAccessible(tab);
});

test("an answer is edited as a version, a part of it is quoted, and the thread prints as paper", async ({
  open,
  app,
  model,
}) => {
  const path = await conversation(app, model, {
    "Where is it?": "In the [docs](https://docs.example/a), on page two.\n\n```ts\nconst a = 1;\n```",
  });
  const chat = await open(app, { colorScheme: "dark" });
  await chat.goto(path);
  const tab = chat.page;
  await chat.lastTurn.getByRole("button", { name: "Edit answer" }).click();
  const field = chat.lastTurn.getByRole("textbox", { name: "Edit answer" });
  await expect(field).toBeFocused();
  const ring = await chat.lastTurn.getByRole("img", { name: "loop 1, finished" }).boundingBox();
  expect((await field.boundingBox())?.y).toBeLessThanOrEqual(ring?.y ?? 0);
  await expectAccessible(tab);
  await field.fill("In the [guide](https://docs.example/b), on page three.");
  await field.press("Control+Enter");
  await expect(chat.lastTurn.getByText("on page three")).toBeVisible();
  await expect(chat.lastTurn.getByText("edited by a person")).toBeVisible();
  await chat.lastTurn.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.lastTurn.getByText("on page two")).toBeVisible();
  await expect(chat.lastTurn.getByText("edited by a person")).toBeHidden();
  const choose = () =>
    chat.lastTurn.getByText("on page two").evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
    });
  await chat.message.fill("See:");
  await choose();
  await tab.getByRole("button", { name: "Quote in the message" }).click();
  await expect(chat.message).toHaveValue("See:\n\n> In the docs, on page two.\n\n");
  await expect(chat.message).toBeFocused();
  await chat.message.fill("");
  await chat.message.blur();
  await choose();
  await tab.keyboard.press("Alt+q");
  await expect(chat.message).toBeFocused();
  await tab.keyboard.type("Which?");
  await expect(chat.message).toHaveValue("> In the docs, on page two.\n\nWhich?");
  await tab.emulateMedia({ media: "print" });
  await expect(chat.message).toBeHidden();
  await expect(chat.sidebar).toBeHidden();
  await expect(chat.lastTurn.getByRole("button", { name: "Edit answer" })).toBeHidden();
  const seen = await tab.evaluate(() => ({
    ground: getComputedStyle(document.body).backgroundColor,
    ink: getComputedStyle(document.querySelector("article") ?? document.body).color,
    link: getComputedStyle(document.querySelector(".markdown a") ?? document.body, "::after").content,
  }));
  expect(seen).toMatchObject({ ground: "rgb(255, 255, 255)", ink: "rgb(0, 0, 0)" });
  expect(seen.link).toMatch(/attr\(href\)|docs\.example/);
  expect((await tab.pdf()).byteLength).toBeGreaterThan(1_000);
});
