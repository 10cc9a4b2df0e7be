import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { apiOf } from "../support/api";
import { startApp } from "../support/app";
import { expect, test } from "../support/server-test";

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
