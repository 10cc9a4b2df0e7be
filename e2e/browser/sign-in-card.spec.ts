import { consent } from "@/lib/mcp/testing/consent";
import { type ProtectedServer, startProtectedServer } from "@/lib/mcp/testing/oauth-server";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { expectAccessible, expectNoSidewaysScroll } from "../support/check-page";
import { noServers } from "../support/default-servers";
import { expect, test } from "../support/test";

const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

let server: ProtectedServer;
test.beforeEach(async () => {
  server = await startProtectedServer();
});
test.afterEach(() => server.close());

/** As in another browser. */
async function signIn(app: App): Promise<void> {
  const { url } = await apiOf(app).post<{ url: string }>("/api/mcp/servers/remote/login");
  const back = await consent(new URL(url), `${app.baseUrl}/api/mcp/oauth/callback`);
  await app.fetch(`${back.pathname}${back.search}`);
  await expect.poll(async () => (await apiOf(app).server("remote")).status).toBe("ready");
}

test("a call whose sign-in ran out shows Sign in, comes back to the conversation and goes on; another one from elsewhere, on a phone and in Japanese", async ({
  start,
  open,
}) => {
  const app = await start({ ...noServers, env: { PRIVATE_HOSTS: "127.0.0.1:*" } });
  const api = apiOf(app);
  await api.post("/api/mcp/servers", { name: "remote", config: { url: server.url } });
  const { approvalHash: hash } = await api.server("remote");
  await api.post<McpServerItem>("/api/mcp/servers/remote/approve", { hash });
  await expect.poll(async () => (await api.server("remote")).status).toBe("needs_login");
  await signIn(app);
  await api.patch("/api/settings", { rules: [{ pattern: "mcp:remote:*", effect: "allow" }] });
  await server.endLogins();

  const host = new URL(server.issuer).host;
  const chat = await open(app, { visits: [server.issuer] });
  const { page } = chat;
  await chat.ask("/tool remote__echo {}");
  const card = page.getByRole("group", { name: "Sign in to remote?" });
  await expect(card).toBeFocused();
  await expectAccessible(page);
  const place = page.url();
  await page.keyboard.press("Control+Enter");
  await expect(card.getByText(`You sign in at ${host} and then come back here.`)).toBeVisible();
  await expect(card.getByRole("link", { name: `Go to ${host}` })).toBeFocused();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page.getByRole("heading", { name: "consent" })).toBeVisible();
  await page.getByRole("button", { name: "Go on" }).click();
  await expect(page).toHaveURL(place);
  await chat.finished();
  await expect(chat.lastTurn.getByText("over HTTP").last()).toBeVisible();

  await server.endLogins();
  const small = (await open(app, { ...phone, locale: "ja-JP", colorScheme: "dark" })).page;
  await small.goto(app.baseUrl);
  await small.getByRole("textbox", { name: "メッセージ" }).fill("/tool remote__echo {}");
  await small.getByRole("button", { name: "送信" }).click();
  const question = small.getByRole("group", { name: "remote にサインインしますか？" });
  await expect(question.getByRole("button", { name: "サインイン" })).toBeVisible();
  await expectNoSidewaysScroll(small);
  await expectAccessible(small);
  await signIn(app);
  await expect(small.getByRole("button", { name: "再生成" })).toBeEnabled({ timeout: 25_000 });
  await expect(question).toHaveCount(0);
});
