import { expect, test } from "vitest";
import { host } from "@/lib/server/testing/database-env";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const token = "token-for-tests-only";
const own = { authorization: "", origin: `http://${host}` };

/** Opens the printed address as a browser with this cookie does; gives the cookie that it has then. */
async function signIn(cookie = "", given = token): Promise<string> {
  const response = await callApi("GET", `/api/session?token=${given}`, undefined, { ...own, cookie });
  expect([response.status, response.headers.get("location")]).toEqual([303, "/"]);
  return response.headers.get("set-cookie")?.split(";")[0] ?? cookie;
}

const nameOf = (cookie: string) => cookie.split("=")[0];

const read = async (cookie: string, headers: Record<string, string> = {}) =>
  (await callApi("GET", "/api/conversations", undefined, { authorization: "", cookie, ...headers })).status;

test("each opening of the printed address is a new session, in place of this browser's former one", async () => {
  const [first, other] = [await signIn(), await signIn()];
  expect(first).not.toBe(other);
  const second = await signIn(first);
  expect(second).not.toBe(first);
  expect([await read(first), await read(second), await read(other)]).toEqual([401, 200, 200]);
  expect(await signIn(second, "a-wrong-token-of-sixteen")).toBe(second);
  expect(await read(second)).toBe(200);
});

test("signing out ends the session here and in no other browser", async () => {
  const [cookie, other] = [await signIn(), await signIn()];
  const stranger = await callApi("DELETE", "/api/session", undefined, {
    ...own,
    cookie: `${nameOf(cookie)}=unknown`,
  });
  expect(stranger.status).toBe(401);
  const response = await callApi("DELETE", "/api/session", undefined, { ...own, cookie });
  expect(response.status).toBe(200);
  expect(response.headers.get("set-cookie")).toContain(`${nameOf(cookie)}=; Path=/; Max-Age=0; HttpOnly`);
  expect([await read(cookie), await read(other)]).toEqual([401, 200]);
});

test("a cookie counts only in requests of our own page, or of nobody's", async () => {
  const cookie = await signIn();
  const from = (site: string) => read(cookie, { "sec-fetch-site": site });
  expect([await from("same-origin"), await from("none")]).toEqual([200, 200]);
  expect([await from("same-site"), await from("cross-site")]).toEqual([403, 403]);
});

test("an authorization server leads back across sites, and no script does", async () => {
  const cookie = await signIn();
  const back = (mode: string) =>
    callApi("GET", "/api/mcp/oauth/callback?state=unknown", undefined, {
      ...{ authorization: "", cookie },
      ...{ "sec-fetch-site": "cross-site", "sec-fetch-mode": mode },
    });
  expect([(await back("navigate")).status, (await back("cors")).status]).toEqual([303, 403]);
});
