import { apiOf } from "../support/api";
import { noServers } from "../support/default-servers";
import { rawRequest } from "../support/raw-request";
import { expect, test } from "../support/server-test";

test("a stranger's program sees the title of a shared conversation and one picture, and nobody needs to sign in to install", async ({
  start,
}) => {
  const app = await start(noServers);
  const read = (path: string) => rawRequest(app, { path, headers: { host: new URL(app.baseUrl).host } });

  const manifest = await read("/manifest.webmanifest");
  expect(manifest.status).toBe(200);
  const { icons, start_url } = JSON.parse(manifest.text) as { icons: { src: string }[]; start_url: string };
  expect(start_url).toBe("/");
  expect(icons.length).toBeGreaterThan(1);
  for (const path of [...icons.map(({ src }) => src), "/apple-icon.png"]) {
    const icon = await read(path);
    expect([path, icon.status, icon.headers["content-type"]]).toEqual([path, 200, "image/png"]);
  }

  const api = apiOf(app);
  const asked = await api.ask('count to 2 & "quote" <b>this</b>');
  await asked.closed;
  const { conversationId } = await api.run(asked.runId);
  const { token } = await api.post<{ token: string }>(`/api/conversations/${conversationId}/shares`);
  const page = await read(`/share/${token}`);
  expect(page.text).toMatch(
    /<meta property="og:title" content="count to 2 &amp; &quot;quote&quot; &lt;b&gt;/,
  );
  const picture = /<meta property="og:image" content="([^"]+)"/.exec(page.text)?.[1] ?? "";
  expect((await read(new URL(picture).pathname)).status).toBe(200);
  // What is free of a session is these files alone, not what begins or looks like them.
  for (const path of [
    "/share/png",
    "/share/pngx",
    "/share.pngx",
    "/settings/about",
    "/settings/about/license",
  ])
    expect([path, [401, 404].includes((await read(path)).status)]).toEqual([path, true]);
  expect((await read("/share/pngx")).headers["content-security-policy"]).toContain("default-src 'self'");
});

test("the worker is for anybody, keeps nothing, and is asked for again each time", async ({ start }) => {
  const app = await start({ ...noServers, env: { LAUNCH_TOKEN: "a-launch-token-of-the-test" } });
  const { host } = new URL(app.baseUrl);
  const worker = await rawRequest(app, { path: "/sw.js", headers: { host } });
  expect(worker.status).toBe(200);
  expect(worker.headers).toMatchObject({
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; connect-src 'self'",
    "x-content-type-options": "nosniff",
  });
  // Its scope is the folder that it comes from: the whole site, without a header that widens it.
  expect(worker.headers["service-worker-allowed"]).toBeUndefined();
  expect(worker.headers["set-cookie"]).toBeUndefined();
  expect(worker.text).toContain("Meguri can’t be reached");
  expect(worker.text).toContain("Meguri に接続できません");
  expect(worker.text).not.toContain("caches");
  expect(worker.text).not.toContain(app.token);
  // It runs as it is sent: nothing of the bundle is missing in it.
  expect(() => new Function(worker.text)).not.toThrow();

  expect((await rawRequest(app, { path: "/sw.js", headers: { host: "evil.example" } })).status).toBe(403);
  expect((await rawRequest(app, { path: "/sw.js", method: "POST", headers: { host } })).status).toBe(405);
});
