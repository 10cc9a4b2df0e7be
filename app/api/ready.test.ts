import { expect, onTestFinished, test } from "vitest";
import { getDeps } from "@/lib/server/entry/deps";
import type { Deps } from "@/lib/server/entry/open-deps";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const stranger = { authorization: "", host: "10.0.0.7:3000" };
const ready = async (headers: Record<string, string> = {}) => {
  const answer = await callApi("GET", "/api/ready", undefined, headers);
  return { status: answer.status, retryAfter: answer.headers.get("retry-after"), body: await answer.json() };
};

/** Puts something in the place of a part of the application, until the test is over. */
function replace<Name extends keyof Deps>(deps: Deps, name: Name, value: Deps[Name]): void {
  const before = deps[name];
  deps[name] = value;
  onTestFinished(() => {
    deps[name] = before;
  });
}

test("who is signed in reads how much there is to do, and a stranger only that it is ready", async () => {
  expect(await ready()).toMatchObject({
    status: 200,
    body: { status: "ready", liveRuns: 0, disk: expect.any(String) },
  });
  expect((await ready()).body).not.toHaveProperty("bus");
  for (const headers of [stranger, { authorization: "" }, { authorization: "Bearer wrong" }])
    expect(await ready(headers)).toEqual({ status: 200, retryAfter: null, body: { status: "ready" } });
  // The right token under another name is a stranger's: a page of that name may have asked.
  expect((await ready({ host: "evil.example" })).body).toEqual({ status: "ready" });
  const health = await callApi("GET", "/api/health", undefined, stranger);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
});

test("while it shuts down it is not ready from the first moment, and only who is signed in reads why", async () => {
  const { runs } = await getDeps();
  runs.draining = true;
  onTestFinished(() => {
    runs.draining = false;
  });
  expect(await ready()).toMatchObject({
    status: 503,
    retryAfter: "5",
    body: { error: { code: "draining" } },
  });
  expect(await ready(stranger)).toEqual({
    ...{ status: 503, retryAfter: "5" },
    body: { error: { code: "not_ready", message: "Ask another instance." } },
  });
  expect((await callApi("GET", "/api/health", undefined, stranger)).status).toBe(200);
});

test("a process that others may have taken for dead is not ready", async () => {
  const deps = await getDeps();
  const members = { ...deps.store.members, holds: () => false };
  replace(deps, "store", { ...deps.store, members });
  expect(await ready()).toMatchObject({ status: 503, body: { error: { code: "database" } } });
});

test("an instance that does not hear the others as it is meant to is ready, and says so", async () => {
  const deps = await getDeps();
  replace(deps, "store", { ...deps.store, bus: { ...deps.store.bus, isUp: false } });
  expect(await ready()).toMatchObject({ status: 200, body: { status: "ready", bus: "down" } });
  expect((await ready(stranger)).body).toEqual({ status: "ready" });
});

test("a database that does not answer within a second is none to send work to", async () => {
  const deps = await getDeps();
  replace(deps, "store", { ...deps.store, probe: () => new Promise(() => {}) });
  expect(await ready()).toMatchObject({
    status: 503,
    retryAfter: "5",
    body: { error: { code: "database" } },
  });
  expect((await ready(stranger)).body).toMatchObject({ error: { code: "not_ready" } });
});
