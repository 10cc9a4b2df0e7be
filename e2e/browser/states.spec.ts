import { mkdirSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { apiOf } from "../support/api";
import { type ApiGate, gateApi } from "../support/api-gate";
import { findTextFaults } from "../support/check-layout";
import { findSidewaysScroll, findViolations } from "../support/check-page";
import { fillLong, type LongData } from "../support/long-data";
import { shownIn } from "../support/screen-page";
import { expect, test } from "../support/test";

const desktop = { width: 1280, height: 800 };
const phone = { width: 360, height: 740 };
/** The other screens are looked at all the same. */
const soft = expect.configure({ soft: true, timeout: 8_000 });

interface Place {
  name: string;
  path: string;
  open?(page: Page): Promise<unknown>;
  /** What is read there. */
  shown: string;
}

/** A screen that shows what the API answers. */
interface Screen extends Place {
  /** The requests that it cannot do without. */
  asks: RegExp;
  /** What stands there while they are not answered; null: nothing of its own. */
  waits?: ((page: Page) => Locator) | null;
  /** What is said when they fail; beside it is "Try again". */
  failed: string;
}

test("each screen says that it is empty, that it loads, and that it has failed, and bears what is long", async ({
  open,
  start,
}, info) => {
  test.slow();
  const [agents, skills] = [info.outputPath("agents"), info.outputPath("skills")];
  for (const folder of [agents, skills]) mkdirSync(folder);
  const env = { AGENTS_DIR: agents, SKILLS_DIR: skills };
  const app = await start({ mcpConfig: { mcpServers: {} }, env });
  const { page } = await open(app);
  const { id } = await apiOf(app).post<{ id: string }>("/api/projects", { name: "Empty" });
  for (const { name, path, open: press, shown } of emptyPlaces(`/p/${id}`)) {
    await page.goto(app.baseUrl + path);
    await press?.(page);
    await soft(shownIn(page, shown), `${name}, empty`).toBeVisible();
    await expectSound(page, `${name}, empty`);
  }
  const data = await fillLong(app);
  const gate = await gateApi(page);
  await page.addInitScript(watchSkeletons);
  for (const screen of screens(data)) {
    await walk(page, app.baseUrl, gate, screen);
    const early = await page.evaluate(() => globalThis.earlySkeletons);
    expect.soft(early, `${screen.name}, a skeleton at once`).toEqual([]);
  }
});

/** One screen from its first request to all that it has. */
async function walk(page: Page, baseUrl: string, gate: ApiGate, screen: Screen): Promise<void> {
  const { name, path, asks, waits = skeleton, failed, shown } = screen;
  gate.hold(asks);
  await page.goto(baseUrl + path);
  await screen.open?.(page);
  if (waits) {
    await soft(waits(page).first(), `${name}, loading`).toHaveCSS("opacity", "1");
    await expectSound(page, `${name}, loading`);
  }
  gate.refuse();
  await soft(shownIn(page, failed), `${name}, failed`).toBeVisible();
  await expectSound(page, `${name}, failed`);
  gate.pass();
  await tryAgain(page);
  await soft(shownIn(page, shown), `${name}, long`).toBeVisible();
  await soft(page.getByRole("alert").filter({ hasText: /\S/ }), `${name}, long`).toHaveCount(0);
  await expectSound(page, `${name}, long`, true);
}

/** Until nothing is left to be tried. One press may bring more than its own part, at any moment. */
async function tryAgain(page: Page): Promise<void> {
  const buttons = page.getByRole("button", { name: "Try again" });
  await buttons.first().waitFor();
  for (let left = await buttons.count(); left > 0; left = await buttons.count()) {
    // All at once, and each once: none can go away before it is pressed.
    await buttons.evaluateAll((shown) => {
      for (const button of shown) (button as HTMLButtonElement).click();
    });
    await expect.poll(() => buttons.count()).toBeLessThan(left);
  }
}

async function expectSound(page: Page, title: string, isLong = false): Promise<void> {
  for (const viewport of [phone, desktop]) {
    const at = `${title}, ${viewport.width} px`;
    await page.setViewportSize(viewport);
    soft(await findSidewaysScroll(page), at).toEqual([]);
    if (isLong) soft(await findTextFaults(page), at).toEqual([]);
  }
  soft(await findViolations(page), title).toEqual([]);
}

declare global {
  /** Those that could be seen as soon as they came: most answers come before anybody could read them. */
  var earlySkeletons: string[];
}

/** Runs in the page before its own scripts, and looks at what comes. Before the styles are there nothing is seen. */
function watchSkeletons(): void {
  globalThis.earlySkeletons = [];
  const known = new WeakSet<Element>();
  new MutationObserver(() => {
    if (getComputedStyle(document.documentElement).getPropertyValue("--paper") === "") return;
    for (const skeleton of document.querySelectorAll("[role=status][aria-label]")) {
      if (known.has(skeleton)) continue;
      known.add(skeleton);
      if (getComputedStyle(skeleton).opacity !== "0") globalThis.earlySkeletons.push(skeleton.outerHTML);
    }
  }).observe(document, { childList: true, subtree: true });
}

const skeleton = (page: Page) => page.getByRole("status", { name: "Loading" });
const settings = (name: string, shown: string): Place => ({ name, path: `/settings/${name}`, shown });
const search = (words: string) => async (page: Page) => {
  await page.getByRole("button", { name: "Search and commands" }).click();
  await page.getByRole("combobox").fill(words);
};

const emptyPlaces = (project: string): Place[] => [
  { name: "start", path: "/", shown: "Your conversations appear in this list." },
  { name: "project", path: project, shown: "Ask something above." },
  { name: "archive", path: "/archive", shown: "Nothing is archived." },
  { name: "palette", path: "/", open: search("xyzzy"), shown: "Nothing found for “xyzzy”." },
  settings("models", "No endpoint is set up."),
  settings("mcp", "No servers yet."),
  settings("assistants", "No assistants yet."),
  settings("prompts", "No skills."),
  settings("agents", "No agents yet."),
  settings("rules", "No rules yet."),
  settings("shares", "Nothing is shared yet."),
];

const page = (asks: RegExp, place: Place): Screen => ({ asks, failed: "This couldn’t be loaded.", ...place });

const screens = ({ talk, project, server, compared, run, matrix }: LongData): Screen[] => [
  {
    ...{ name: "start", path: "/", asks: /^\/api\/conversations\?limit/ },
    ...{ failed: "Couldn’t load the list.", shown: "Long Donau" },
  },
  {
    ...{ name: "start, projects", path: "/", asks: /^\/api\/projects\?/, waits: null },
    ...{ failed: "Couldn’t load the projects.", shown: "Long Donau" },
  },
  {
    ...{ name: "conversation", path: talk, asks: /^\/api\/conversations\/[\w-]+$/ },
    ...{ failed: "Couldn’t load the conversation", shown: "Regenerate" },
  },
  {
    ...{ name: "run", path: run, asks: /^\/api\/runs\// },
    ...{ failed: "Couldn’t load the run.", shown: "Tokens" },
  },
  {
    ...{ name: "share dialog", path: talk, asks: /\/shares$/, failed: "Couldn’t create the link." },
    open: (on) => on.getByRole("button", { name: "Share", exact: true }).click(),
    waits: (on) => on.getByRole("dialog").getByRole("status"),
    shown: "One question",
  },
  {
    ...{ name: "project", path: project, asks: /^\/api\/projects/ },
    ...{ failed: "Couldn’t load this project.", shown: "newest first" },
  },
  {
    ...{ name: "project, conversations", path: project, asks: /^\/api\/conversations\?project/ },
    ...{ failed: "Couldn’t load these conversations.", shown: "newest first" },
  },
  {
    ...{ name: "archive", path: "/archive", asks: /^\/api\/conversations\?archived/ },
    ...{ failed: "Couldn’t load the archive.", shown: "They are in no other list" },
  },
  {
    ...{ name: "answers beside each other", path: compared, asks: /^\/api\/runs\/compare/ },
    ...{ failed: "The answers can’t be compared.", shown: "Only what differs" },
  },
  {
    ...{ name: "several models", path: matrix, asks: /^\/api\/matrix\// },
    ...{ failed: "The matrix can’t be loaded.", shown: "together" },
  },
  {
    ...{ name: "palette", path: "/", open: search("Donaudampf"), asks: /^\/api\/search/ },
    waits: (on) => on.getByText("Searching…"),
    ...{ failed: "Messages couldn’t be searched", shown: "found" },
  },
  page(/^\/api\/(models|settings)/, settings("models", "Donaudampfschifffahrt")),
  page(/^\/api\/mcp\/servers/, settings("mcp", "Approve and run")),
  page(/^\/api\/mcp\/servers/, settings(`mcp/${server}`, "Approve and run")),
  page(/^\/api\/assistants/, settings("assistants", "11 Long")),
  page(/^\/api\/(prompts|skills)/, settings("prompts", "11 Long")),
  page(/^\/api\/agents/, settings("agents", "@long")),
  page(/^\/api\/settings/, settings("rules", "Matches no connected tool")),
  page(/^\/api\/shares/, settings("shares", "never opened")),
  page(/^\/api\/(data|settings)/, settings("data", "Shared links")),
];
