import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { say } from "@/lib/providers/testing/steps";
import { shareEverything } from "../support/share-everything";
import { expect, test } from "../support/test";

const host = "http://tracker.invalid";
const payload = `Before
![beacon](${host}/pixel.png?leak=1)
![by reference][pic]

<img src="${host}/raw.png" onerror="window.pwned = 1">
<script>window.pwned = 2; alert(1)</script>
<iframe src="${host}/frame"></iframe>
<svg onload="window.pwned = 3"><image href="${host}/svg.png"/></svg>
<a href="javascript:window.pwned = 4" onclick="window.pwned = 5">raw link</a>

[script link](javascript:window.pwned=6) [data link](data:text/html,<script>window.pwned=7</script>)
[VbScript](vbscript:msgbox(1)) [relative](/api/conversations) [file](file:///etc/passwd)
<${host}/auto> and ${host}/bare and [outside](${host}/page "a title")

<details open ontoggle="window.pwned = 8"><summary>x</summary></details>
<style>@import "${host}/style.css"; body { background: url(${host}/bg.png) }</style>
<meta http-equiv="refresh" content="0;url=${host}/refresh">
<link rel="prefetch" href="${host}/prefetch">
<form action="${host}/form"><input name="q"><button>go</button></form>

\`\`\`html
<script src="${host}/in-code.js"></script>
\`\`\`

[pic]: ${host}/reference.png
After`;

/** What must hold wherever the payload is shown; foreign requests and dialogs fail every test by themselves. */
async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { pwned?: number }).pwned)).toBeUndefined();
  const found = await page.evaluate(() => {
    const inContent = [...document.querySelectorAll("main *, aside *, header *")];
    const attributes = inContent.flatMap((element) => [...element.attributes]);
    return {
      elements: inContent.flatMap(({ localName }) =>
        ["iframe", "object", "embed", "style", "meta", "link", "base"].includes(localName) ? localName : [],
      ),
      handlers: attributes.flatMap(({ name }) => (name.startsWith("on") ? name : [])),
      images: inContent.flatMap((element) =>
        element instanceof HTMLImageElement && !/^(data|blob):/.test(element.src) ? element.src : [],
      ),
      schemes: [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].flatMap(({ href }) =>
        /^(https?|mailto):/.test(href) ? [] : href,
      ),
    };
  });
  expect(found).toEqual({ elements: [], handlers: [], images: [], schemes: [] });
  const links = page.locator(`a[href^="${host}"]`);
  for (const link of await links.all()) {
    await expect(link).toHaveAttribute("rel", "noopener noreferrer");
    await expect(link).toHaveAttribute("target", "_blank");
  }
}

test("nothing that a model writes runs, loads or reaches out, live, after a reload, shared and as a file", async ({
  chat,
  page,
  model,
  open,
  app,
}) => {
  model.script = [[say(payload, { pieces: 60 })]];
  await chat.chooseModel("test-model");
  await chat.ask(`<img src=x onerror=alert(1)> [t](javascript:alert(2)) ![i](${host}/title.png)`);
  await chat.finished();
  await expect(chat.lastTurn.getByText(/After$/)).toBeVisible();
  await expectHarmless(page);
  const answer = chat.lastTurn.locator("[data-growing]");
  await expect(answer.getByRole("link", { name: "beacon (tracker.invalid)" })).toHaveAttribute(
    "href",
    `${host}/pixel.png?leak=1`,
  );
  await expect(answer.getByRole("link", { name: "outside" })).toBeVisible();
  await expect(answer.getByText("script link")).toBeVisible();
  await expect(answer.getByRole("link", { name: "script link" })).toHaveCount(0);
  await expect(answer.getByRole("link", { name: "relative" })).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("<img src=x onerror=alert(1)>");

  await page.reload();
  await chat.finished();
  await expectHarmless(page);

  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("button", { name: "Create link" })).toBeEnabled();
  await shareEverything(dialog);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByRole("textbox").inputValue();
  const stranger = await open(app, { stranger: true });
  await stranger.page.goto(url);
  await expect(stranger.page.getByText(/After$/).last()).toBeVisible();
  await expectHarmless(stranger.page);
  await stranger.page.goto(url);
  await expectHarmless(stranger.page);
});

test("nothing that stands in a file or comes from a tool runs, loads or reaches out", async ({
  chat,
  page,
  app,
}) => {
  writeFileSync(join(app.sandbox, "payload.md"), payload);
  await chat.ask("read payload.md");
  await chat.finished();
  const line = chat.toolLine("filesystem read_text_file, done, ");
  await line.click();
  await expect(chat.lastTurn.locator("pre").getByText("Before").first()).toBeVisible();
  await expectHarmless(page);
  await chat.lastTurn.getByRole("button", { name: "Show raw" }).click();
  await expectHarmless(page);
  await page.reload();
  await chat.finished();
  await expectHarmless(page);
});

test("what a tool call is asked with cannot draw over its own question", async ({ chat, page, app }) => {
  const name = `"><img src=x onerror=window.pwned=1>.md`;
  await chat.ask(`/tool filesystem__write_file ${JSON.stringify({ path: name, content: payload })}`);
  await expect(chat.card.getByRole("textbox", { name: "path" })).toHaveValue(name);
  await expectHarmless(page);
  await chat.card.getByRole("button", { name: "Deny" }).click();
  await chat.finished();
  expect(app.pid).toBeGreaterThan(0);
});
