import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { CallContext, ToolBox } from "@/lib/agent/ports";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { fixture, textOf } from "@/lib/mcp/testing/test-pool";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolResult } from "@/lib/protocol/message";
import { InFlightCalls } from "./in-flight-calls";

const changed = "Not run: its definition changed after it was checked; ask again.";
const emit: CallContext["emit"] = async () => {};
const live = () => new AbortController().signal;
let calls = 0;
async function call(box: ToolBox, name: string, definition?: string): Promise<ToolResult> {
  const id = `judged-${++calls}` as ToolCallId;
  const judged = definition === undefined ? {} : { definition };
  return (await box.call(
    { type: "tool_call", id, name, args: {}, ...judged },
    { signal: live(), emit },
  )) as ToolResult;
}

/** A server whose tool `act` is another one after the server has ended; the box has seen the first. */
async function startShifter() {
  // Long enough to be seen while it is not there.
  const test = await startPool({}, { tuning: { backoffMs: 500 } });
  const { pool, folder, ready, until } = test;
  await pool.file.add({ shifter: fixture("shifter", join(folder, "shifted")) });
  await pool.file.approve("shifter", pool.server("shifter")?.approvalHash ?? "");
  await ready("shifter");
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  box.list();
  const before = pool.tool("shifter__act")?.item.hash ?? "";
  const end = async () => {
    await call(box, "shifter__crash");
    await until(() => pool.server("shifter")?.status === "connecting");
    expect(pool.tool("shifter__act")?.item.hash).toBe(before);
  };
  const sends = () => pool.logs("shifter").filter(({ text }) => text.includes("→ tools/call act")).length;
  return { ...test, box, before, end, sends };
}

test("a call is sent to the definition that was judged, and to no other", async () => {
  const { box, before, sends } = await startShifter();
  expect(textOf(await call(box, "shifter__act", before))).toBe("acted {}");
  const refused = await call(box, "shifter__act", "0".repeat(64));
  expect(refused.status).toBe("error");
  expect(textOf(refused)).toBe(changed);
  expect(sends()).toBe(1);
});

test("a judged call is not sent to a server that comes back with another definition", async () => {
  const { box, before, end, sends } = await startShifter();
  await end();
  const refused = await call(box, "shifter__act", before);
  expect([refused.status, textOf(refused)]).toEqual(["error", changed]);
  expect(sends()).toBe(0);
});

test("nor is one that nobody judged: it meant the tool that the run had seen", async () => {
  const { box, end, sends } = await startShifter();
  await end();
  const refused = await call(box, "shifter__act");
  expect([refused.status, textOf(refused)]).toEqual(["error", changed]);
  expect(sends()).toBe(0);
});

test("who waits for the tool judges what is really sent", async () => {
  const { pool, box, before, end } = await startShifter();
  await end();
  const found = await pool.toolWhenReady("shifter__act", live());
  expect(found).toMatchObject({ server: "shifter", item: { name: "act", definition: "changed" } });
  expect(found?.item.hash).not.toBe(before);
  expect(textOf(await call(box, "shifter__act", found?.item.hash))).toBe("acted {}");
});

test("waiting for a tool ends where nothing comes: unknown server, unknown tool, given up", async () => {
  const { pool, ready } = await startPool({ plain: fixture("plain"), silent: fixture("silent") });
  await ready("plain");
  expect(await pool.toolWhenReady("nobody__act", live())).toBeUndefined();
  expect(await pool.toolWhenReady("plain__nothing", live())).toBeUndefined();
  expect(await pool.toolWhenReady("plain__echo", live())).toMatchObject({ item: { name: "echo" } });
  const stop = new AbortController();
  const waiting = pool.toolWhenReady("silent__act", stop.signal);
  stop.abort();
  expect(await waiting).toBeUndefined();
});

test("an edit changes the entry as it stands in the file, also after a change by hand", async () => {
  const { pool, configPath } = await startPool({ plain: { ...fixture("plain"), disabled: true } });
  const byHand = { ...fixture("plain"), disabled: true, env: { TOKEN: "typed-by-hand" }, note: "mine" };
  await writeFile(configPath, JSON.stringify({ mcpServers: { plain: byHand } }));
  await pool.file.edit("plain", (stored) => ({ ...stored, disabledTools: ["echo"] }));
  expect(JSON.parse(await readFile(configPath, "utf8")).mcpServers.plain).toEqual({
    ...byHand,
    disabledTools: ["echo"],
  });
  await expect(pool.file.edit("nobody", (stored) => stored)).rejects.toMatchObject({ code: "not_found" });
});

test("the secrets of all entries are known, with their variables put in, whether they run or not", async () => {
  const { pool } = await startPool(
    {
      local: {
        ...fixture("plain"),
        disabled: true,
        env: { TOKEN: `\${env:MY_TOKEN}`, SHORT: "short", BAD: `\${env:NOT_SET_AT_ALL}` },
      },
      remote: {
        url: "http://127.0.0.1:9/mcp?api_key=key-in-address&page=12345678",
        headers: {
          Authorization: "Bearer bearer-token",
          Accept: "application/json",
          Cookie: "session=abcdefgh",
        },
        disabled: true,
      },
    },
    { env: { PATH: process.env.PATH, MY_TOKEN: "token-of-mine" } },
  );
  expect(pool.secrets()).toEqual([
    "token-of-mine",
    "Bearer bearer-token",
    "bearer-token",
    "session=abcdefgh",
    "key-in-address",
  ]);
});

test("a change that the server tells of during a call is known when that call has ended", async () => {
  const { pool, ready } = await startPool({ coat: fixture("turncoat") });
  await ready("coat");
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const names = () => box.list().map(({ name }) => name);
  expect(names()).toContain("coat__leave");
  const before = pool.tool("coat__keep")?.item.hash;
  await call(box, "coat__turn");
  expect(names().toSorted()).toEqual(["coat__gift", "coat__keep", "coat__turn"]);
  expect(textOf(await call(box, "coat__keep", before))).toBe(changed);
});

test("a model reads what was accepted of a tool, and nothing of what was not", async () => {
  const { pool, ready } = await startPool({ coat: fixture("turncoat") });
  await ready("coat");
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  const spec = (name: string) => box.list().find((one) => one.name === `coat__${name}`);
  const accepted = spec("keep");
  await call(box, "coat__turn");
  expect(pool.tool("coat__keep")?.item.description).toContain("sends it away");
  expect(spec("keep")).toMatchObject({ description: "Keeps a note on this machine." });
  expect(spec("keep")?.inputSchema).toEqual(accepted?.inputSchema);
  expect(JSON.stringify(spec("gift"))).not.toContain("Gives");
  expect(spec("gift")?.description).toContain("once a person has accepted it");
  expect(spec("gift")).toBe(spec("gift"));
  for (const name of ["keep", "gift"])
    await pool.definitions.acceptTool(`coat__${name}`, pool.tool(`coat__${name}`)?.item.hash ?? "");
  expect(spec("keep")?.description).toContain("sends it away");
  expect(spec("gift")?.description).toBe("Gives.");
});
