import { expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

withApplication(
  { drift: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "drift"] } },
  { AUTH: "accounts" },
);

/** Says yes to what a run waits for, and reads what comes of it. */
async function approve(person: TestPerson, runId: string) {
  const { pending }: RunItem = await (await person.call("GET", `/api/runs/${runId}`)).json();
  const given = { requestId: pending[0]?.requestId, decision: "approve" };
  const next = await (await person.call("POST", `/api/runs/${runId}/answer`, given)).json();
  return readStream(await person.call("GET", `/api/runs/${next.runId}/stream`));
}

test("a member's yes to a changed definition is for this call alone; an admin's accepts it for everybody", async () => {
  const admin = await toPerson(await signUp("Aiko"));
  const ben = await join(admin, "Ben");
  const { pool } = await getDeps();
  await expect.poll(() => pool.tool("drift__shifty")?.item.definition).toBe("pinned");
  const ask = async (person: TestPerson) =>
    readStream(
      await person.call("POST", "/api/chat", {
        message: { text: "/tool drift__shifty {}" },
        model: "demo/demo",
      }),
    );
  const state = () => pool.tool("drift__shifty")?.item.definition;

  const first = await ask(ben);
  await admin.call("POST", "/api/mcp/servers/drift/tools/change/call", { args: {} });
  await expect.poll(state).toBe("changed");
  const asked = await approve(ben, first.runId);
  expect(asked.chunks.at(-2)).toMatchObject({ type: "approval_request", reason: "changed_definition" });
  const done = await approve(ben, asked.runId);
  expect(done.chunks.find(({ type }) => type === "tool_result")).toMatchObject({ result: { status: "ok" } });
  expect(state()).toBe("changed");

  const again = await ask(admin);
  expect(again.chunks.at(-2)).toMatchObject({ reason: "changed_definition" });
  await approve(admin, again.runId);
  expect(state()).toBe("pinned");
});
