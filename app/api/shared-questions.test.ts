import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join as path } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

const folder = mkdtempSync(path(tmpdir(), "meguri-shared-"));
withApplication(
  { desk: { command: "node", args: ["lib/mcp/testing/asking-server.mjs"] } },
  { AUTH: "accounts", TOOL_APPROVAL: "allow" },
);
afterAll(async () => (await import("node:fs/promises")).rm(folder, { recursive: true }));

const say = async (person: TestPerson, tool: string, args: object) =>
  readStream(
    await person.call("POST", "/api/chat", {
      message: { text: `/tool desk__${tool} ${JSON.stringify(args)}` },
      model: "demo/demo",
    }),
  );

async function answer(person: TestPerson, runId: string, word: string) {
  const { pending }: RunItem = await (await person.call("GET", `/api/runs/${runId}`)).json();
  const given = { requestId: pending[0]?.requestId, action: "accept", content: { word } };
  const next = await (await person.call("POST", `/api/runs/${runId}/answer`, given)).json();
  return readStream(await person.call("GET", `/api/runs/${next.runId}/stream`));
}

test("what a shared local server asks reaches the person alone whose call it is", async () => {
  const admin = await toPerson(await signUp("Aiko"));
  const [ben, cleo] = [await join(admin, "Ben"), await join(admin, "Cleo")];
  for (const person of [ben, cleo]) await person.call("PATCH", "/api/settings", { titles: "words" });
  const { pool } = await getDeps();
  const logged = (text: string, count: number) =>
    vi.waitFor(
      () => expect(pool.logs("desk").filter((line) => line.text.includes(text))).toHaveLength(count),
      { timeout: 15_000, interval: 10 },
    );
  const items = await (await ben.call("GET", "/api/mcp/servers")).json();
  expect(items.items[0]).toMatchObject({ name: "desk", scope: "shared" });

  const [go, end] = [path(folder, "go"), path(folder, "end")];
  const ofBen = say(ben, "ask", { label: "Ben's secret", after: go });
  const ofCleo = say(cleo, "work", { after: end });
  await logged("→ tools/call", 2);
  writeFileSync(go, "");
  await logged("elicitation/create", 1);
  // Nobody can say whose it is, so that neither is shown it, although one call alone is left; the call says what to do.
  writeFileSync(end, "");
  const worked = await ofCleo;
  const refused = await ofBen;
  expect(JSON.stringify(refused.chunks)).toContain("does not say which it is for");
  expect(JSON.stringify(worked.chunks)).not.toContain("Ben's secret");
  expect(worked.chunks.some(({ type }) => type === "input_request")).toBe(false);

  const asked = await say(ben, "ask", { label: "Ben" });
  expect(asked.status).toBe("waiting");
  const waits = say(cleo, "ask", { label: "Cleo" });
  const foreign = await cleo.call("POST", `/api/runs/${asked.runId}/answer`, {
    ...{ requestId: "r", action: "accept", content: { word: "Cleo's" } },
  });
  expect(foreign.status).toBe(404);
  expect(JSON.stringify((await answer(ben, asked.runId, "snow")).chunks)).toContain("Ben: snow");
  const next = await waits;
  expect(JSON.stringify(next.chunks)).not.toContain("Ben");
  expect(JSON.stringify((await answer(cleo, next.runId, "rain")).chunks)).toContain("Cleo: rain");
});
