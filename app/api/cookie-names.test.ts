import { expect, onTestFinished, type TestContext, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { callApi, withApplication } from "./testing/call-api";
import { signUp, toPerson } from "./testing/people";

withApplication({}, { AUTH: "local" });

/** On the same data, as after a restart with these variables. */
async function restart(env: Record<string, string>): Promise<void> {
  const { pool, store } = await getDeps();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
  Object.assign(process.env, env);
  await getDeps();
}
function begin(context: TestContext): void {
  onSqlite(context, "No start on PostgreSQL is without a PUBLIC_URL.");
  onTestFinished(() => restart({ PUBLIC_URL: "", AUTH: "local" }));
}

const own = { authorization: "", origin: "http://127.0.0.1:3999" };
const named = { PUBLIC_URL: "http://127.0.0.1:3999" };

test("who was signed in stays so when PUBLIC_URL gives the cookie another name, until they sign out", async (context) => {
  begin(context);
  const answer = await callApi("GET", "/api/session?token=token-for-tests-only", undefined, own);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  expect(cookie).toMatch(/^meguri_3999=/);
  await restart(named);
  const read = async () => (await callApi("GET", "/api/conversations", undefined, { ...own, cookie })).status;
  expect(await read()).toBe(200);
  const out = await callApi("DELETE", "/api/session", undefined, { ...own, cookie });
  expect(out.headers.get("set-cookie")).toMatch(/^meguri_127_0_0_1_3999=; /);
  expect(await read()).toBe(401);
});

test("and so does who has an account", async (context) => {
  begin(context);
  await restart({ AUTH: "accounts" });
  const person = await toPerson(await signUp("Aiko"));
  expect(person.headers.cookie).toContain("meguri_3999_account.session_token=");
  await restart(named);
  const read = async () => (await person.call("GET", "/api/conversations")).status;
  expect(await read()).toBe(200);
  expect((await person.call("DELETE", "/api/session")).status).toBe(200);
  expect(await read()).toBe(401);
});
