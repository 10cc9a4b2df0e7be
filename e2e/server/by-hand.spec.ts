import type { Page } from "@/lib/protocol/http";
import type { McpLogEvent, McpSavedRequest } from "@/lib/protocol/mcp-offers";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { makeGated } from "../support/gated";
import { expect, test } from "../support/server-test";

const events = { accept: "text/event-stream", "content-type": "application/json" };
const call = (app: App, signal: AbortSignal, tool = "work") =>
  app.fetch(`/api/mcp/servers/gated/tools/${tool}/call`, {
    ...{ method: "POST", headers: events, body: '{"args":{"by":"hand"}}', signal },
  });
const kindsOf = (text: string) => [...text.matchAll(/^event: (.+)$/gm)].map(([, kind]) => kind).join(" ");

test("a call by hand tells its messages before the result, and whoever goes away cancels it on the server", async ({
  start,
}) => {
  const gated = makeGated();
  const app = await start({ mcpConfig: { mcpServers: { gated: gated.config } } });
  await expect.poll(async () => (await apiOf(app).server("gated")).status).toBe("ready");
  const leave = new AbortController();
  const left = await call(app, leave.signal);
  expect(left.headers.get("content-type")).toContain("text/event-stream");
  await expect.poll(() => gated.calls()).toEqual(["work"]);
  leave.abort();
  await expect.poll(() => gated.lines().some(({ event }) => event === "cancelled")).toBe(true);

  gated.open();
  const whole = await (await call(app, AbortSignal.timeout(20_000))).text();
  expect(kindsOf(whole)).toBe("message message result");
  expect(whole).toContain('"arguments":{"by":"hand"}');
  expect((await call(app, AbortSignal.timeout(20_000), "nothing")).status).toBe(404);
  gated.dispose();
});

test("arguments are kept by tool and name, and go with their server", async ({ start }) => {
  const gated = makeGated();
  const app = await start({ mcpConfig: { mcpServers: { gated: gated.config } } });
  const api = apiOf(app);
  const path = "/api/mcp/servers/gated/requests";
  const kept = async () =>
    (await api.get<Page<McpSavedRequest>>(path)).items.map(({ tool, name, args }) => [tool, name, args]);
  await api.post(path, { tool: "work", name: "one", args: { a: 1 } });
  await api.post(path, { tool: "look", name: "one", args: {} });
  await api.post(path, { tool: "work", name: "one", args: { a: 2 } });
  expect(await kept()).toEqual([
    ["look", "one", {}],
    ["work", "one", { a: 2 }],
  ]);
  const large = { tool: "work", name: "large", args: { text: "x".repeat(20_000) } };
  expect((await api.send("POST", path, large)).status).toBe(400);
  await app.restart();
  const [look] = (await api.get<Page<McpSavedRequest>>(path)).items;
  expect((await api.send("DELETE", `${path}/${look?.id}`)).status).toBe(200);
  expect(await kept()).toEqual([["work", "one", { a: 2 }]]);

  const { config } = await api.server("gated");
  await api.send("DELETE", "/api/mcp/servers/gated");
  await api.post("/api/mcp/servers", { name: "gated", config });
  expect(await kept()).toEqual([]);
  gated.dispose();
});

test("the log goes on as it is written, and after a break where it was", async ({ start }) => {
  const gated = makeGated();
  const app = await start({ mcpConfig: { mcpServers: { gated: gated.config } } });
  const api = apiOf(app);
  await expect.poll(async () => (await api.server("gated")).status).toBe("ready");
  const follow = async (mark?: string) => {
    const stop = new AbortController();
    const response = await app.fetch("/api/mcp/servers/gated/logs", {
      headers: { accept: "text/event-stream", ...(mark && { "last-event-id": mark }) },
      signal: stop.signal,
    });
    let text = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    })().catch(() => {});
    const lines = () =>
      [...text.matchAll(/^data: (.+)\n\n/gm)].flatMap(
        ([, data]) => (JSON.parse(data ?? "") as McpLogEvent).lines,
      );
    return {
      lines: () => lines().map((line) => line.text),
      mark: () => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1],
      end: async () => {
        stop.abort();
        await reading;
      },
    };
  };
  gated.open();
  const first = await follow();
  await expect.poll(() => first.lines().some((line) => line.includes("tools/list"))).toBe(true);
  await api.post("/api/mcp/servers/gated/tools/work/call", { args: {} });
  await expect.poll(() => first.lines().some((line) => line.includes("→ tools/call work"))).toBe(true);
  await expect.poll(() => first.lines().at(-1)).toMatch(/^← result/);
  const mark = first.mark();
  await first.end();
  await api.post("/api/mcp/servers/gated/tools/look/call", { args: {} });
  const second = await follow(mark);
  await expect.poll(() => second.lines().at(-1)).toMatch(/^← result/);
  expect(second.lines()[0]).toContain("→ tools/call look");
  await second.end();
  gated.dispose();
});
