import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { findViolations } from "../support/check-page";
import { type BoxLine, compareBoxes, readBaseline, readBoxes, writeBaseline } from "../support/screen-boxes";
import { settled, shownIn, steady, steadyTimes } from "../support/screen-page";
import { expect, test } from "../support/test";

const folder = join(import.meta.dirname, "screens");
const isUpdate = process.env.UPDATE_SCREENS === "1";

const desktop = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };

/** What a screen is called, where it is, what is pressed there, and what is seen when it is there. */
interface Screen {
  name: string;
  path: string;
  open?(page: Page): Promise<unknown>;
  shown: string;
}

test("the main screens have their elements where they were, and are without a fault for axe", async ({
  open,
  start,
}, info) => {
  test.slow();
  const app = await start({ mcpConfig: { mcpServers: {} } });
  const data = await fill(app);
  const compare = async (page: Page, screens: readonly Screen[], suffix: string) => {
    for (const { name, path, open, shown } of screens) {
      const title = `${name}${suffix}`;
      await page.goto(app.baseUrl + path);
      await open?.(page);
      await expect(shownIn(page, shown)).toBeVisible();
      await settled(page);
      await expectSame(page, title);
      await expectFaultless(page, title);
      if (!process.env.CI)
        await info.attach(title, { body: await page.screenshot(), contentType: "image/png" });
    }
  };
  const { page } = await open(app, { viewport: desktop });
  await steady(page.context());
  await compare(page, mainScreens(data), "");
  await page.setViewportSize(phone);
  await compare(page, phoneScreens(data), ".phone");
  await page.setViewportSize(desktop);
  await page.context().addCookies([{ name: "locale", value: "ja", url: app.baseUrl }]);
  await compare(page, japaneseScreens(data), ".ja");
});

test("what has moved, has another size, has gone or is new is said in words", () => {
  const before = ['button "Send" 100,20 60x32', 'link "One" 0,0 10x10', 'link "One" 0,20 10x10'];
  const near = ['button "Send" 104,16 60x32', 'link "One" 0,0 10x10', 'link "One" 0,20 10x10'];
  expect(compareBoxes(before, near)).toEqual([]);
  const now = ['button "Send" 112,15 60x32', 'link "One" 0,0 30x10', 'heading "New" 0,0 1x1'];
  expect(compareBoxes(before, now)).toEqual([
    'button "Send" moved 12 px right, 5 px up',
    'link "One" (1) is 20 px wider',
    'link "One" (2) is gone',
    'heading "New" is new',
  ]);
});

/** Asked again until it is so: what comes late moves things once. */
async function expectSame(page: Page, title: string): Promise<void> {
  const path = join(folder, `${title}.json`);
  if (isUpdate) {
    let lines: BoxLine[] = [];
    // The same as half a second before.
    const sameAgain = async () => {
      const before = lines;
      lines = await boxesOf(page);
      return lines.length > 0 && compareBoxes(before, lines).length === 0;
    };
    await expect.poll(sameAgain, { intervals: [500] }).toBe(true);
    return writeBaseline(path, lines);
  }
  const baseline = readBaseline(path);
  const changes = async () => compareBoxes(baseline, await boxesOf(page));
  await expect.configure({ soft: true }).poll(changes, { message: title }).toEqual([]);
}

async function boxesOf(page: Page): Promise<BoxLine[]> {
  await steadyTimes(page);
  return readBoxes(page);
}

/** In the light and in the dark; the other screens are looked at all the same. */
async function expectFaultless(page: Page, title: string): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    const rules = colorScheme === "light" ? "all" : "colours";
    expect.soft(await findViolations(page, rules), `${title}, ${colorScheme}`).toEqual([]);
  }
}

interface Data {
  talk: string;
  project: string;
  share: string;
}

/** The same every time: a conversation from a file, and what people make by hand. */
async function fill(app: App): Promise<Data> {
  const api = apiOf(app);
  for (const name of ["talk", "archived"]) {
    const body = readFileSync(join(folder, "data", `${name}.json`));
    const answer = await app.fetch("/api/conversations/import", {
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body,
    });
    expect(answer.status).toBe(200);
  }
  const { items } = await api.get<{ items: { id: string }[] }>("/api/conversations");
  const talk = items[0]?.id ?? "";
  const { id: project } = await api.post<{ id: string }>("/api/projects", { name: "Field notes" });
  await api.post("/api/mcp/servers", { name: "weather", config: { command: "node", args: ["server.mjs"] } });
  await api.patch("/api/settings", { rules: [{ pattern: "mcp:weather:*", effect: "ask" }] });
  const { url } = await api.post<{ url: string }>(`/api/conversations/${talk}/shares`, { accept: true });
  return { talk: `/c/${talk}`, project: `/p/${project}`, share: new URL(url, app.baseUrl).pathname };
}

/** When the turns are drawn, the page listens to keys. */
const find = async (page: Page) => {
  await page.getByRole("button", { name: "Regenerate" }).last().waitFor();
  await page.keyboard.press("Control+Shift+F");
};
/** At the beginning of the thread: where a click leaves it depends on whether it still followed its end. */
const openCall = async (page: Page) => {
  await page.getByRole("button", { name: "Regenerate" }).last().waitFor();
  await page
    .getByRole("button", { name: /^filesystem list_directory/ })
    .first()
    .click();
  await page.getByRole("article").last().hover();
  // What scrolls by itself as the call opens may come in between.
  await expect(async () => {
    await page.mouse.wheel(0, 400);
    await page.mouse.wheel(0, -20_000);
    await expect(page.getByRole("button", { name: "Jump to latest" })).toBeVisible({ timeout: 1_000 });
  }).toPass();
};
const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click();
const settings = (name: string, shown: string): Screen => ({
  name: `settings-${name.replace("/", "-")}`,
  path: `/settings/${name}`,
  shown,
});

const mainScreens = ({ talk, project, share }: Data): Screen[] => [
  { name: "start", path: "/", shown: "Where shall we start?" },
  { name: "conversation", path: talk, shown: "Regenerate" },
  { name: "conversation-call", path: talk, open: openCall, shown: "welcome.md" },
  {
    name: "conversation-find",
    path: talk,
    open: find,
    shown: "Find in this conversation",
  },
  { name: "conversation-share", path: talk, open: button("Share"), shown: "Create link" },
  {
    name: "palette",
    path: "/",
    open: button("Search and commands"),
    shown: "Search, or type > for commands",
  },
  { name: "project", path: project, shown: "Field notes" },
  { name: "archive", path: "/archive", shown: "An old talk" },
  { name: "missing", path: "/nowhere", shown: "Page not found" },
  settings("models", "Endpoints"),
  settings("instructions", "Leave it empty to give none."),
  settings("mcp", "Approve the command"),
  settings("mcp/weather", "Tools appear once it is ready."),
  settings("assistants", "No assistants yet."),
  settings("prompts", "No prompts yet."),
  settings("agents", "@counter"),
  settings("rules", "mcp:weather:*"),
  settings("limits", "Budget per task"),
  settings("shares", "list the files"),
  settings("look", "Theme"),
  settings("notifications", "What is told"),
  settings("about", "Documentation"),
  { name: "share", path: share, shown: "Shared copy, read-only" },
];

const phoneScreens = ({ talk, project }: Data): Screen[] => [
  { name: "start", path: "/", shown: "Where shall we start?" },
  { name: "conversation", path: talk, shown: "list the files" },
  { name: "drawer", path: "/", open: button("Show sidebar"), shown: "Settings" },
  { name: "project", path: project, shown: "Field notes" },
  settings("models", "Endpoints"),
  settings("mcp", "Approve the command"),
];

const japaneseScreens = ({ talk }: Data): Screen[] => [
  { name: "start", path: "/", shown: "何から始めましょうか" },
  { name: "conversation", path: talk, shown: "list the files" },
  settings("rules", "mcp:weather:*"),
];
