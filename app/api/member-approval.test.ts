import { beforeAll, expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/entry/deps";
import { readStream, withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";
import { codeOf, makeToken } from "./testing/tokens";

withApplication(
  {
    drift: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "drift"] },
    still: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "drift"] },
  },
  { AUTH: "accounts" },
);

let admin: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
});

/** Says yes to what a run waits for, and reads what comes of it. */
async function approve(person: TestPerson, runId: string) {
  const { pending }: RunItem = await (await person.call("GET", `/api/runs/${runId}`)).json();
  const given = { requestId: pending[0]?.requestId, decision: "approve" };
  const next = await (await person.call("POST", `/api/runs/${runId}/answer`, given)).json();
  return readStream(await person.call("GET", `/api/runs/${next.runId}/stream`));
}

test("a member's yes to a changed definition is for this call alone; an admin's accepts it for everybody", async () => {
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

test("a program that chats answers for a call, and allows nothing for good", async () => {
  const cleo = await join(admin, "Cleo");
  const { pool, store } = await getDeps();
  await expect.poll(() => pool.tool("still__shifty")?.item.definition).toBe("pinned");
  const { call } = await makeToken(cleo, ["chat"]);
  const question = { message: { text: "/tool still__shifty {}" }, model: "demo/demo" };
  const { runId } = await readStream(await call("POST", "/api/chat", question));
  const { pending }: RunItem = await (await call("GET", `/api/runs/${runId}`)).json();
  const answer = (decision: string) =>
    codeOf(call("POST", `/api/runs/${runId}/answer`, { requestId: pending[0]?.requestId, decision }));
  expect(await answer("approve_always")).toBe("403 insufficient_scope");
  expect(await answer("approve_server")).toBe("403 insufficient_scope");
  expect(await store.settings.get(cleo.id, "rules")).toBeUndefined();
  expect(await answer("approve_run")).toMatch(/^20/);
});
