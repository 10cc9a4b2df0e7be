import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { listen, streamable } from "@/lib/mcp/testing/http-server";
import { getDeps } from "@/lib/server/entry/deps";
import { withApplication } from "./testing/call-api";
import { join, signUp, type TestPerson, toPerson } from "./testing/people";

let answer: (() => void) | undefined;
const desk = await listen(
  streamable(404, ({ params }, _request, response) => {
    if (params?.name !== "look") return false;
    answer = () => response.writeHead(500).end();
    return true;
  }).answer,
);
withApplication({ desk: { url: desk.url } }, { AUTH: "accounts", TOOL_APPROVAL: "allow" });
afterAll(() => desk.close());

let admin: TestPerson;
let ben: TestPerson;
beforeAll(async () => {
  admin = await toPerson(await signUp("Aiko"));
  ben = await join(admin, "Ben");
  await ben.call("PATCH", "/api/settings", { titles: "words" });
});

/** How often the connections of this person are held now. */
async function countHolds(person: TestPerson): Promise<() => number> {
  const { pool } = await getDeps();
  let open = 0;
  for (const view of [pool, pool.of(person.id)]) {
    const hold = view.hold.bind(view);
    const spy = vi.spyOn(view, "hold").mockImplementation((who) => {
      const release = hold(who);
      if (who !== person.id) return release;
      open++;
      return () => {
        open--;
        release();
      };
    });
    onTestFinished(() => spy.mockRestore());
  }
  return () => open;
}

test("the connections of a person are held during a request, for as long as a stream of theirs is open", async () => {
  const holds = await countHolds(admin);
  expect((await admin.call("GET", "/api/mcp/servers")).status).toBe(200);
  expect((await admin.call("GET", "/api/mcp/servers/unknown")).status).toBe(404);
  expect(holds()).toBe(0);
  const log = await admin.call("GET", "/api/mcp/servers/desk/logs", undefined, {
    accept: "text/event-stream",
  });
  const reader = log.body?.getReader();
  await reader?.read();
  expect(holds()).toBe(1);
  await reader?.cancel();
  expect(holds()).toBe(0);
});

test("a run holds the connections of its person, whether or not anybody reads it", async () => {
  const { pool } = await getDeps();
  const view = pool.of(ben.id);
  await vi.waitFor(() => expect(view.server("desk")?.status).toBe("ready"), 10_000);
  const holds = await countHolds(ben);
  const run = await ben.call("POST", "/api/chat", {
    message: { text: "/tool desk__look {}" },
    model: "demo/demo",
  });
  await vi.waitFor(() => expect(answer).toBeDefined(), 10_000);
  expect(holds()).toBe(2);
  await run.body?.cancel();
  expect(holds()).toBe(1);
  answer?.();
  await vi.waitFor(() => expect(holds()).toBe(0), 10_000);
});
