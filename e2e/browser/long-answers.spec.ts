import { say, until } from "@/lib/providers/testing/steps";
import { expect, test } from "../support/test";

const section = (at: number) =>
  `## Section ${at}\n\nWords about ${at} with **weight**.\n\n- one of ${at}\n- two of ${at}\n\n`;
const sections = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => section(from + at)).join("");

test("a long answer is followed to its end, and stands still for whoever scrolls away", async ({
  chat,
  page,
  model,
}) => {
  const gate = Promise.withResolvers<void>();
  model.script = [[say(sections(0, 40)), until(gate.promise), say(sections(40, 80))]];
  await chat.chooseModel("test-model");
  await chat.ask("Write at length");
  const thread = page.locator("[data-scroll]");
  const left = () =>
    thread.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  await expect(chat.lastTurn.getByRole("heading", { name: "Section 39" })).toBeVisible();
  await expect.poll(left).toBeLessThan(2);
  await thread.hover();
  await page.mouse.wheel(0, -500);
  const seen = chat.lastTurn.getByRole("heading", { name: "Section 36" });
  await expect(seen).toBeInViewport();
  await expect.poll(left).toBeGreaterThan(300);
  const before = await seen.boundingBox();
  gate.resolve();
  await chat.finished();
  await expect(seen).toBeInViewport();
  expect(Math.abs(((await seen.boundingBox())?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(8);
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect(chat.lastTurn.getByRole("heading", { name: "Section 79" })).toBeInViewport();
  await expect.poll(left).toBeLessThan(2);
});

test("code of many lines and a long list hold every word, while they come and after a reload", async ({
  chat,
  page,
  model,
}) => {
  const code = Array.from({ length: 130 }, (_, at) => `const value${at} = ${at};\n`).join("");
  const list = Array.from({ length: 60 }, (_, at) => `- item ${at}\n`).join("");
  const gate = Promise.withResolvers<void>();
  model.script = [[say(`${list}\n\`\`\`ts\n${code}`), until(gate.promise), say("```\n\nAfter it.")]];
  await chat.chooseModel("test-model");
  await chat.ask("Write a lot");
  await chat.lastTurn.getByRole("button", { name: /^TypeScript/ }).click();
  const shown = page.getByRole("complementary", { name: "TypeScript" }).locator("pre").last();
  await expect(shown).toContainText("const value129");
  gate.resolve();
  await chat.finished();
  for (const when of ["as it came", "after a reload"]) {
    if (when === "after a reload") await page.reload();
    await expect(chat.lastTurn.getByText("After it.")).toBeVisible();
    await expect(shown.locator(".tok-key").first()).toBeAttached();
    expect(await shown.textContent()).toBe(code.trimEnd());
    await expect(chat.lastTurn.locator("ul > li")).toHaveCount(60);
  }
});
