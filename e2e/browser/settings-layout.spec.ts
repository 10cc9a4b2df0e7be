import { apiOf } from "../support/api";
import { expectTextsApart } from "../support/check-layout";
import { expectNoSidewaysScroll } from "../support/check-page";
import { chooseMore } from "../support/more-menu";
import { expect, test } from "../support/test";

const needy = {
  name: "a-server-whose-name-is-quite-long",
  config: { command: "node", args: ["server.mjs"] },
};

test("servers and a server's page keep their texts and switches apart at every width", async ({
  chat,
  page,
  app,
}) => {
  await apiOf(app).post("/api/mcp/servers", needy);
  for (const [path, shown] of [
    ["/settings/mcp", page.getByText(needy.name, { exact: true })],
    ["/settings/mcp/everything", page.getByRole("heading", { name: /^Try / })],
    ["/settings/models", page.getByRole("heading", { name: "Models", exact: true })],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 2400 });
    await chat.goto(path);
    await expect(shown).toBeVisible();
    for (const width of [1050, 1024, 900, 820, 721, 390]) {
      await page.setViewportSize({ width, height: 2400 });
      await expectTextsApart(page);
      await expectNoSidewaysScroll(page);
      for (const box of await page.getByRole("switch").evaluateAll(boxesOf))
        expect(box.right).toBeLessThanOrEqual(width);
    }
  }
  await apiOf(app).send("DELETE", `/api/mcp/servers/${needy.name}`);
});

test("a rule stands on one line in a window that is magnified to 200 %", async ({ chat, page, app }) => {
  await apiOf(app).patch("/api/settings", {
    rules: [{ pattern: "mcp:filesystem:*", effect: "allow" }],
  });
  await page.setViewportSize({ width: 640, height: 800 });
  await chat.goto("/settings/rules");
  const rule = page.getByRole("listitem").filter({ hasText: "mcp:filesystem:*" });
  const words = rule.locator("label");
  await expect(words).toHaveCount(4);
  const [first, , , last] = await words.evaluateAll(boxesOf);
  const [remove] = await rule.getByRole("button").evaluateAll(boxesOf);
  expect(last?.top).toBe(first?.top);
  expect(remove?.left).toBeGreaterThan(last?.right ?? 0);
  expect(remove?.right).toBeLessThanOrEqual(640);
  await expectTextsApart(page);
  await apiOf(app).patch("/api/settings", { rules: [] });
});

test("a dialog begins where one writes, and has room for it in a low window", async ({ chat, page }) => {
  await chat.goto("/settings/mcp");
  await chooseMore(page, "Paste");
  await expect(page.getByRole("textbox", { name: "Configuration" })).toBeFocused();
  await page.keyboard.insertText('{"mcpServers": {"pasted": {"command": "node"}}}');
  await expect(page.getByRole("region", { name: "Will be added" })).toContainText("pasted");
  await page.keyboard.press("Escape");
  await chooseMore(page, "Edit as JSON");
  await expect(page.getByRole("textbox", { name: "File" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);

  // A window of 1280 x 800 at 200 %.
  await page.setViewportSize({ width: 640, height: 400 });
  await page.getByRole("button", { name: "Add a server" }).click();
  await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
  const [body] = await page.getByRole("dialog").locator("[data-part=body]").evaluateAll(boxesOf);
  expect(body?.height).toBeGreaterThan(200);
});

test("what scrolls in a low window goes behind the bar of an empty chat, not through it", async ({
  chat,
  page,
}) => {
  await page.setViewportSize({ width: 640, height: 400 });
  await chat.goto("/");
  const heading = page.getByRole("heading", { level: 1 });
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeGreaterThanOrEqual(48);
  await page.mouse.move(320, 300);
  await page.mouse.wheel(0, 60);
  await expect.poll(async () => (await heading.boundingBox())?.y).toBeLessThan(48);
  const bar = page.getByRole("button", { name: "Show sidebar" }).locator("../..");
  const { left, top, right, bottom } = (await bar.evaluateAll(boxesOf))[0] ?? new DOMRect();
  expect([left, top, right, bottom]).toEqual([0, 0, 640, 48]);
  expect(await bar.evaluate((element) => getComputedStyle(element).backgroundColor)).toMatch(/^rgb\(/);
});

const boxesOf = (elements: Element[]) =>
  elements.map((element) => element.getBoundingClientRect().toJSON() as DOMRect);
