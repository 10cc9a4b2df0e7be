import type { BrowserContext, Page } from "@playwright/test";
import { hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

const [line, list] = ["/api/events", "/api/conversations"];

/** What the pages of a browser ask for under an address. */
function requestsTo(context: BrowserContext, address: string): Page[] {
  const pages: Page[] = [];
  context.on("request", (request) => {
    if (new URL(request.url()).pathname === address && request.method() === "GET")
      pages.push(request.frame().page());
  });
  return pages;
}

/** It is opened when the page has rested, or is left. */
const opened = (context: BrowserContext) =>
  context.waitForEvent("response", {
    predicate: (response) => response.ok() && response.url().endsWith(line),
    timeout: 30_000,
  });

test("what is done in another browser is seen in every tab of this one, over one line and without asking again and again", async ({
  start,
  open,
  model,
}) => {
  model.script = [[say("It goes on."), hang]];
  const app = await start({
    ...noServers,
    env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
  });
  const api = apiOf(app);
  const one = await open(app);
  const context = one.page.context();
  const [lines, lists] = [requestsTo(context, line), requestsTo(context, list)];
  const isOpen = opened(context);
  await one.goto("/");
  const other = one.sibling(await context.newPage());
  await other.page.clock.install();
  await other.goto("/");
  await isOpen;
  await other.page.clock.fastForward(6_000);

  const elsewhere = await open(app);
  await elsewhere.ask("Begun elsewhere");
  await expect(elsewhere.lastTurn).toContainText("It goes on.");
  for (const tab of [one, other]) await expect(tab.conversation(/Begun elsewhere/)).toBeVisible();
  const id = new URL(elsewhere.page.url()).pathname.split("/").at(-1);
  await api.patch(`/api/conversations/${id}`, { title: "Another name" });
  for (const tab of [one, other]) await expect(tab.conversation(/Another name/)).toBeVisible();

  // In the time that this tab goes by it would have asked five times for what runs.
  const ofOther = () => lists.filter((page) => page === other.page).length;
  const before = ofOther();
  for (let paces = 0; paces < 5; paces++) await other.page.clock.fastForward(4_000);
  await other.page.evaluate(() => fetch("/api/health").then(({ ok }) => ok));
  expect(ofOther()).toBe(before);

  await api.send("DELETE", `/api/conversations/${id}`);
  for (const tab of [one, other]) await expect(tab.conversation(/Another name/)).toHaveCount(0);
  expect(lines).toHaveLength(1);

  // Another tab goes on where the one is closed that has read for both.
  const [reader, left] = lines[0] === one.page ? [one, other] : [other, one];
  const isOpenAgain = opened(context);
  await reader.page.close();
  await isOpenAgain;
  expect(lines).toEqual([reader.page, left.page]);
  await api.post("/api/conversations", { title: "After the tab" });
  await expect(left.conversation("After the tab")).toBeVisible();
});

test("without a line the list is asked for as long as something runs; a line that was lost with its server is opened again", async ({
  start,
  open,
  model,
}) => {
  model.script = [[say("It goes on."), hang]];
  const app = await start({
    ...noServers,
    env: { OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
  });
  const api = apiOf(app);
  await api.ask("Goes on");
  const chat = await open(app);
  const context = chat.page.context();
  const refused = context.waitForEvent("response", (response) => response.url().endsWith(line));
  await context.route(`**${line}`, (route) => route.fulfill({ status: 503, body: "{}" }));
  await chat.goto("/");
  await expect(chat.conversation(/Goes on/)).toBeVisible();
  await refused;
  await api.post("/api/conversations", { title: "Seen by looking" });
  await expect(chat.conversation("Seen by looking")).toBeVisible();

  const isOpen = opened(context);
  await context.unroute(`**${line}`);
  await isOpen;
  const isOpenAgain = opened(context);
  await app.kill9();
  await app.restart();
  await isOpenAgain;
  await api.post("/api/conversations", { title: "After the restart" });
  await expect(chat.conversation("After the restart")).toBeVisible();
});
