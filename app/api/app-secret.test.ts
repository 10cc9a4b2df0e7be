import { expect, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const [right, wrong] = ["the right one".repeat(3), "the wrong one".repeat(3)];
withApplication({}, { APP_SECRET: right });

/** Starts again on the same data, as another process would. */
async function restart(secret: string, changed = ""): Promise<unknown> {
  process.env.APP_SECRET = secret;
  process.env.APP_SECRET_CHANGED = changed;
  const holder = globalThis as Record<symbol, unknown>;
  const key = Symbol.for("meguri.deps");
  const before = holder[key];
  delete holder[key];
  return getDeps().catch((cause) => {
    holder[key] = before;
    return cause;
  });
}

async function end(): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
}

const keyEnd = async () =>
  (await (await callApi("GET", "/api/settings")).json()).providers.find(
    ({ id }: { id: string }) => id === "google",
  ).keyEnd;

test("a start with another APP_SECRET fails with what to do, and loses nothing; accepted once, it counts", async () => {
  await callApi("PATCH", "/api/settings", { providers: { google: { apiKey: "g-key-1234" } } });
  const { conversationId } = await readStream(
    await callApi("POST", "/api/chat", { message: { text: "count to 1" }, model: "demo/demo" }),
  );
  const share = await (await callApi("POST", `/api/conversations/${conversationId}/shares`, {})).json();
  const shared = async () => (await callApi("GET", `/api/share/${share.token}`)).status;
  await end();

  expect(await restart(wrong)).toMatchObject({
    name: "StartError",
    message: expect.stringMatching(
      /APP_SECRET.*Start with the former one\. If it is lost, .*APP_SECRET_CHANGED=accept/,
    ),
  });
  await restart(right);
  expect([await keyEnd(), await shared()]).toEqual(["1234", 200]);
  await end();

  await restart(wrong, "accept");
  expect([await keyEnd(), await shared()]).toEqual([null, 410]);
  const { items } = await (await callApi("GET", "/api/shares")).json();
  expect(items).toMatchObject([{ id: share.id, revokedAt: expect.any(String) }]);
  await end();
  expect(await restart(right)).toMatchObject({ name: "StartError" });
  await restart(wrong);
  expect(await keyEnd()).toBeNull();
});
