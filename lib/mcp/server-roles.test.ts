import { expect, test } from "vitest";
import type { Role } from "@/lib/protocol/accounts";
import type { ToolCallId } from "@/lib/protocol/ids";
import { InFlightCalls } from "./calls/in-flight-calls";
import { peopleMemory } from "./testing/people-memory";
import { startPool } from "./testing/start-pool";
import { fixture, npmServer } from "./testing/test-pool";

/** People whose role is in `roles`, and who keep nothing. */
const peopleOf = (roles: Record<string, Role>) => peopleMemory({ role: (person) => roles[person] });

test("the one person of a host without accounts has every server, whatever roles its entry names", async () => {
  const { pool, ready } = await startPool({ desk: { ...fixture("plain"), roles: ["member"] } });
  await ready("desk");
  expect(
    pool
      .of("local")
      .list()
      .items.map(({ name }) => name),
  ).toEqual(["desk"]);
});

test("who is not known yet has what everybody has", async () => {
  const { pool } = await startPool(
    { desk: { ...fixture("plain"), roles: ["member", "admin"] }, open: fixture("plain") },
    { people: peopleOf({}) },
  );
  expect(
    pool
      .of("ben")
      .list()
      .items.map(({ name }) => name),
  ).toEqual(["open"]);
});

test("what a server hides that somebody does not have stays hidden in their texts", async () => {
  const env = { API_TOKEN: "a-token-of-the-vault-1234" };
  const { pool } = await startPool(
    { vault: { ...fixture("plain"), env, cwd: "/tmp", roles: ["admin"] } },
    { people: peopleOf({ ben: "member" }) },
  );
  const ben = pool.of("ben");
  expect(ben.list().items).toEqual([]);
  expect(ben.secrets()).toContain(env.API_TOKEN);
  expect(ben.folders()).toContain("/tmp");
});

test("what somebody has kept under a name is forgotten when it means another server, and nothing of who is gone", async () => {
  const roles: Record<string, Role> = { ben: "member", cleo: "member" };
  const own = new Map([["desk", { url: "https://desk.example/mcp" }]]);
  let owners = ["ben", "cleo"];
  const forgotten: string[] = [];
  const people = peopleMemory({
    role: (person) => roles[person],
    owners: () => owners,
    servers: (person) => (owners.includes(person) ? own : new Map()),
    forgetOf: async (person, name) => void forgotten.push(`${person} ${name}`),
  });
  const { pool } = await startPool({ desk: { ...fixture("plain"), roles: ["admin"] } }, { people });
  roles.ben = "admin";
  await pool.applyRole("ben");
  roles.cleo = "admin";
  await pool.applyRole("cleo");
  expect(forgotten).toEqual(["ben desk", "cleo desk"]);
  owners = ["cleo"];
  await pool.forgetPerson("ben");
  roles.cleo = "member";
  await pool.applyRole("cleo");
  expect(forgotten).toEqual(["ben desk", "cleo desk", "cleo desk"]);
});

test("what waits until a server is awake does not reach it any more once its person has lost it", async () => {
  const roles: Record<string, Role> = { ben: "admin" };
  const { pool, ready } = await startPool(
    { desk: { ...fixture("plain"), roles: ["admin"] } },
    { people: peopleOf(roles) },
  );
  await ready("desk");
  const ben = pool.of("ben");
  await pool.sleep("desk");
  const { signal } = new AbortController();
  const byRun = ben
    .toolBox({ open: new Map(), inFlight: new InFlightCalls() })
    .call(
      { type: "tool_call", id: "1" as ToolCallId, name: "desk__echo", args: {} },
      { signal, emit: async () => {} },
    );
  const byHand = ben.call("desk", "echo", {}, signal);
  roles.ben = "member";
  await pool.applyRole("ben");
  for (const result of await Promise.all([byRun, byHand])) {
    expect(result).not.toMatchObject({ status: "ok" });
    expect(JSON.stringify(result)).toContain("not connected");
  }
  expect(pool.server("desk")?.status).toBe("ready");
});

test("a run that has seen a tool does not find it any more once its person has lost the server", async () => {
  const roles: Record<string, Role> = { ben: "admin" };
  const { pool, ready } = await startPool(
    { desk: { ...fixture("plain"), roles: ["admin"] } },
    { people: peopleOf(roles) },
  );
  await ready("desk");
  const box = pool.of("ben").toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  expect(box.list().map(({ name }) => name)).toContain("desk__echo");
  roles.ben = "member";
  await pool.applyRole("ben");
  expect(box.list()).toEqual([]);
  const call = { type: "tool_call" as const, id: "1" as ToolCallId, name: "desk__echo", args: {} };
  const result = await box.call(call, { signal: new AbortController().signal, emit: async () => {} });
  expect(JSON.stringify(result)).toContain("There is no tool desk__echo. No tool is ready.");
});

test("who loses a server is told no more of its resources, and those who have it are", async () => {
  const roles: Record<string, Role> = { aiko: "admin", ben: "admin" };
  const { pool, run, ready } = await startPool(
    { all: { ...npmServer("server-everything"), roles: ["admin"] } },
    { people: peopleOf(roles) },
  );
  await ready("all");
  const told = { aiko: 0, ben: 0 };
  const { signal } = new AbortController();
  const uri = "demo://resource/dynamic/text/1";
  for (const person of ["aiko", "ben"] as const)
    pool
      .of(person)
      .library.watchResource("all", uri, signal, () => told[person]++)
      .catch(() => {});
  const log = () => pool.logs("all").map(({ text }) => text);
  await expect.poll(log).toContainEqual(expect.stringContaining("Received Subscribe Resource request"));
  roles.ben = "member";
  await pool.applyRole("ben");
  await run("all__toggle-subscriber-updates");
  await expect.poll(() => told.aiko, { timeout: 10_000 }).toBe(1);
  expect(told.ben).toBe(0);
});
