import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { apiOf } from "../support/api";
import { startApp } from "../support/app";
import { startModern } from "../support/modern";
import { expect, test } from "../support/server-test";
import { serversReady } from "../support/test";

test("the built application exports its traces where the environment names a collector, with what is left at its end", async () => {
  const bodies: string[] = [];
  const collector = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    bodies.push(`${request.url} ${body}`);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  const app = await startApp({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } });
  const asked = await apiOf(app).ask("count to 2");
  await asked.closed;
  await app.stop();
  expect(bodies.join("\n")).toMatch(/^\/v1\/traces .*invoke_agent meguri.*/m);
  expect(bodies.join("\n")).toContain(asked.runId);
  expect(bodies.join("\n")).not.toContain("count to 2");
  await app.dispose();
  collector.close();
});

test("servers of both wires get the trace that their call belongs to", async ({ gated }) => {
  const traces: string[] = [];
  const collector = createServer(async (request, response) => {
    for await (const piece of request) traces.push(String(piece));
    response.setHeader("content-type", "application/json").end("{}");
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const modern = await startModern();
  const { port } = collector.address() as AddressInfo;
  const app = await startApp({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, TOOL_APPROVAL: "allow" },
    mcpConfig: { mcpServers: { old: gated.config, near: modern.stdio, far: modern.http } },
  });
  await serversReady(app);
  gated.open();
  const greet = '{"name": "Ada"}';
  await (await apiOf(app).ask(`/tool old__work {}\n/tool near__greet ${greet}\n/tool far__greet ${greet}`))
    .closed;
  await app.stop();
  const lines = [...gated.lines(), ...modern.lines("stdio"), ...modern.lines("http")];
  const ids = lines
    .filter(({ event }) => event === "call")
    .map(({ trace }) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(trace ?? "")?.[1]);
  expect(ids).toHaveLength(3);
  expect(new Set(ids).size).toBe(1);
  expect(traces.join("")).toContain(ids[0]);
  await app.dispose();
  await modern.end();
  collector.close();
});
