import { readFileSync } from "node:fs";
import parse from "parse-prometheus-text-format";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say, until } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { HookSender } from "@/lib/server/hooks/hook-sender";
import { openReceiver } from "@/lib/server/testing/receiver";
import { callApi, readStream, withApplication } from "./testing/call-api";

const token = "a-token-for-monitoring";
const held = Promise.withResolvers<void>();
const env: Record<string, string> = { METRICS_TOKEN: token, PRIVATE_HOSTS: "127.0.0.1:*" };
const model = await startOpenAiServer(() => [say("a word"), until(held.promise)]);
env.OPENAI_BASE_URL = model.url;
const memory = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
};
withApplication({ memory }, env);
afterAll(() => model.close());

const read = (headers: Record<string, string>) => callApi("GET", "/api/metrics", undefined, headers);

/** By name and the values of its labels. */
async function figures(): Promise<Record<string, number>> {
  const answer = await read({ authorization: `Bearer ${token}`, host: "10.0.0.7:3000" });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    ...[200, "text/plain; version=0.0.4; charset=utf-8"],
  ]);
  const samples = parse(await answer.text()).flatMap(({ name, metrics }) =>
    metrics.map(
      ({ labels = {}, value, count, sum }) =>
        [[name, ...Object.values(labels)].join(" "), Number(value ?? count), Number(sum)] as const,
    ),
  );
  return Object.fromEntries(
    samples.flatMap(
      ([name, value, sum]) =>
        [
          [name, value],
          [`${name} sum`, sum],
        ] as const,
    ),
  );
}

test("nobody without the token reads a figure, whoever they are", async () => {
  const launchToken = (await getDeps()).secrets.launchToken;
  for (const authorization of ["", "Bearer wrong", `Bearer ${launchToken}`, `Basic ${token}`, token]) {
    const answer = await read({ authorization });
    expect([answer.status, (await answer.json()).error.code], authorization).toEqual([401, "unauthorized"]);
  }
});

test("where no token is set there is no such route", async () => {
  const deps = await getDeps();
  deps.env = { ...deps.env, METRICS_TOKEN: undefined };
  const answer = await read({ authorization: "Bearer " });
  deps.env = { ...deps.env, METRICS_TOKEN: token };
  expect(answer.status).toBe(404);
});

test("a run is seen while it lives, with its reader and what its log was given", async () => {
  const before = await figures();
  expect(before).toMatchObject({ meguri_runs_live: 0, "meguri_run_readers self": 0 });
  const answer = await callApi("POST", "/api/chat", { model: "openai/test-model", message: { text: "Go." } });
  const reading = readStream(answer);
  await expect.poll(figures).toMatchObject({ meguri_runs_live: 1, "meguri_run_readers self": 1 });
  held.resolve();
  const { chunks } = await reading;
  await expect.poll(figures).toMatchObject({ meguri_runs_live: 0, "meguri_run_readers self": 0 });
  const after = await figures();
  const grown = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
  expect(grown("meguri_log_commit_events sum")).toBeGreaterThanOrEqual(chunks.length);
  expect(grown("meguri_log_commit_events")).toBeGreaterThan(0);
  expect(grown("meguri_log_commit_seconds")).toBe(grown("meguri_log_commit_events"));
  expect(after["meguri_log_commit_seconds sum"]).toBeGreaterThan(0);
});

test("calls are counted by server and outcome, and the names of servers without a bound are not", async () => {
  const call = (tool: string, args: object) =>
    callApi("POST", `/api/mcp/servers/memory/tools/${tool}/call`, { args });
  await call("read_graph", {});
  await call("create_entities", { entities: "none" });
  expect(await figures()).toMatchObject({
    "meguri_mcp_calls_total memory ok": 1,
    "meguri_mcp_calls_total memory error": 1,
  });
  const { metrics } = await getDeps();
  for (let at = 0; at < 300; at++) metrics?.onCalled(`server-${at}`, "ok");
  metrics?.onCalled(undefined, "ok");
  metrics?.onCalled("memory", "ok");
  const after = await figures();
  expect(after).toMatchObject({
    "meguri_mcp_calls_total memory ok": 2,
    "meguri_mcp_calls_total (personal) ok": 1,
    "meguri_mcp_calls_total (other) ok": 101,
  });
  expect(Object.keys(after).filter((name) => /^meguri_mcp_calls_total .* ok$/.test(name))).toHaveLength(202);
});

test("what hooks are told is counted by what became of it, and what still waits", async () => {
  const receiver = await openReceiver();
  const hook = await (
    await callApi("POST", "/api/hooks", { url: receiver.url, events: ["run.completed"] })
  ).json();
  const before = await figures();
  const sender = new HookSender(await getDeps(), {
    ...{ waitsMs: [3_600_000], onAttempt: (await getDeps()).metrics?.onHookAttempt },
  });
  onTestFinished(() => sender.close());
  sender.start();
  const grown = async (name: string) => {
    const after = await figures();
    return (after[`meguri_hook_${name}`] ?? 0) - (before[`meguri_hook_${name}`] ?? 0);
  };
  await callApi("POST", `/api/hooks/${hook.id}/test`, {});
  await expect.poll(() => grown("attempts_total arrived")).toBe(1);
  receiver.answer = (response) => void response.writeHead(500).end();
  await callApi("POST", `/api/hooks/${hook.id}/test`, {});
  await expect.poll(() => grown("attempts_total failed")).toBe(1);
  await readStream(await callApi("POST", "/api/chat", { model: "demo/demo", message: { text: "Go." } }));
  await expect.poll(() => grown("attempts_total again")).toBe(1);
  expect(await grown("deliveries_waiting")).toBe(1);
});

test("what the process itself takes is told, and of the database what there is", async () => {
  const all = await figures();
  for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds"])
    expect(all[name], name).toBeGreaterThan(0);
  const { store } = await getDeps();
  expect("meguri_lease_remaining_seconds" in all).toBe(store.members.mayBeMany);
  expect(all.meguri_bus_up).toBe(store.members.mayBeMany ? 1 : undefined);
  expect("meguri_database_sessions used" in all).toBe(store.members.mayBeMany);
  expect(all).toMatchObject({ meguri_runs_taken_over_total: 0, meguri_runs_given_up_total: 0 });
});

test("the dashboard asks for figures that are there, and for all of our own", async () => {
  const text = await (await read({ authorization: `Bearer ${token}` })).text();
  const there = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => `${name} ${kind}`),
  );
  const named = (name: string) => [...there].some((each) => each.startsWith(`${name} `));
  const dashboard = readFileSync("docs/grafana-dashboard.json", "utf8");
  const asked = [...dashboard.matchAll(/\b(?:meguri|process|nodejs)_\w+/g)].map(([name]) => {
    const [, base = ""] = /^(\w+)_(?:bucket|sum|count)$/.exec(name) ?? [];
    return there.has(`${base} histogram`) ? base : name;
  });
  const { store } = await getDeps();
  const ofSeveral = ["meguri_lease_remaining_seconds", "meguri_bus_up", "meguri_database_sessions"];
  const here = new Set(asked.filter((name) => store.members.mayBeMany || !ofSeveral.includes(name)));
  expect([...here].filter((name) => !named(name))).toEqual([]);
  const ours = [...there].map((each) => each.split(" ")[0] ?? "").filter((name) => /^meguri_/.test(name));
  expect(ours.filter((name) => !asked.includes(name))).toEqual([]);
});
