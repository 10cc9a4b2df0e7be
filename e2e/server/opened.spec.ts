import { fail, hang, say } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/server-test";

const visit = { "sec-fetch-dest": "document", "sec-fetch-site": "none", "sec-fetch-mode": "navigate" };

test("the page of a conversation holds the answer so far, for whom it is meant and nobody else", async ({
  startWithModel,
}) => {
  const words = "Half of an <b>answer</b> so far";
  const { app } = await startWithModel([[say(words), hang]], noServers);
  const { conversationId, runId } = await ask(app, { text: "Begin" });
  await expect.poll(() => pageOf(app, conversationId, visit)).toContain("Half of an");
  const page = await pageOf(app, conversationId, visit);
  expect(markup(page)).toContain('data-growing="true"');
  expect(markup(page)).toContain("Half of an");
  expect(markup(page)).not.toContain("<b>answer</b>");
  expect(page).not.toContain(`href="/api/conversations/${conversationId}" as="fetch"`);

  // Another site led here, another page reads it, nobody has signed in: the page asks by itself then, or not at all.
  for (const headers of [
    { ...visit, "sec-fetch-site": "cross-site" },
    { ...visit, "sec-fetch-site": "same-site" },
    { ...visit, "sec-fetch-dest": "empty" },
  ])
    expect(await pageOf(app, conversationId, headers), JSON.stringify(headers)).not.toContain("Half of an");
  const stranger = await fetch(`${app.baseUrl}/c/${conversationId}`, { headers: visit });
  expect(stranger.status).toBe(401);
  expect(await stranger.text()).not.toContain("Half of an");
  const kept = await app.fetch(`/c/${conversationId}`, { headers: visit });
  expect(kept.headers.get("cache-control")).toContain("no-store");
  await apiOf(app).post(`/api/runs/${runId}/stop`, {});
});

test("what is temporary, long or not there is in no page", async ({ startWithModel }) => {
  const { app } = await startWithModel(
    ({ lastUserText }) =>
      lastUserText === "Much" ? [say("Long words. ".repeat(20_000))] : [say("A few words.")],
    noServers,
  );
  const temporary = await ask(app, { text: "Quietly" }, { temporary: true });
  const long = await ask(app, { text: "Much" });
  await expect.poll(() => statusOf(app, long.conversationId)).toBe("completed");
  await expect.poll(() => statusOf(app, temporary.conversationId)).toBe("completed");
  expect(await pageOf(app, temporary.conversationId, visit)).not.toContain("A few words.");
  const page = await pageOf(app, long.conversationId, visit);
  expect(page).not.toContain("Long words.");
  expect(page).toContain(`/api/conversations/${long.conversationId}`);
  const missing = await app.fetch("/c/019a0000-0000-7000-8000-000000000000", { headers: visit });
  expect(missing.status).toBe(200);

  // Of one that has grown too long the last messages come, if they are short.
  await ask(app, { text: "A word more", conversationId: long.conversationId });
  for (let at = 0; at < 4; at++) {
    await expect.poll(() => statusOf(app, long.conversationId)).toBe("completed");
    await ask(app, { text: `Once more ${at}`, conversationId: long.conversationId });
  }
  await expect.poll(() => statusOf(app, long.conversationId)).toBe("completed");
  const last = await pageOf(app, long.conversationId, visit);
  expect(markup(last)).toContain("A few words.");
  expect(last).not.toContain("Long words.");
});

test("what Meguri itself says in it stands there in the language of the page", async ({ startWithModel }) => {
  const { app } = await startWithModel([[fail(429, "Too many")]], noServers);
  const { conversationId } = await ask(app, { text: "Begin" });
  await expect.poll(() => statusOf(app, conversationId)).toBe("failed");
  const english = "The rate limit or quota of the model server has been reached.";
  expect(markup(await pageOf(app, conversationId, visit))).toContain(english);
  const page = markup(await pageOf(app, conversationId, { ...visit, "accept-language": "ja" }));
  expect(page).toContain("利用上限");
  expect(page).not.toContain(english);
});

/** Without the data that its scripts read. */
const markup = (page: string) => page.replace(/<script\b[\s\S]*?<\/script>/g, "");

const pageOf = async (app: App, id: string, headers: Record<string, string>) =>
  (await app.fetch(`/c/${id}`, { headers })).text();

const statusOf = async (app: App, id: string) =>
  (await apiOf(app).get<{ status: string }>(`/api/conversations/${id}`)).status;

interface Question {
  text: string;
  conversationId?: string;
}

/** Asks and leaves: the answer goes on by itself. */
async function ask(app: App, { text, conversationId }: Question, more: object = {}) {
  const response = await app.fetch("/api/chat", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ message: { text }, ...(conversationId && { conversationId }), ...more }),
  });
  let seen = "";
  for await (const bytes of response.body ?? []) {
    seen += Buffer.from(bytes).toString();
    const run = /^event: run\ndata: (.+)$/m.exec(seen)?.[1];
    if (run) return JSON.parse(run) as { conversationId: string; runId: string };
  }
  throw new Error(`The answer did not begin: ${seen}`);
}
