import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { faulty, fixture, npmServer, processesWith, textOf } from "@/lib/mcp/testing/test-pool";

test("real servers are connected in parallel, and their tools are called", async () => {
  const { ready, run, pool, until } = await startPool({
    files: npmServer("server-filesystem", "sandbox"),
    memory: {
      ...npmServer("server-memory"),
      env: { MEMORY_FILE_PATH: `\${dataFolder}/memory.jsonl` },
    },
    everything: npmServer("server-everything"),
  });
  expect(pool.list().items.map(({ name, status }) => `${name} ${status}`)).toEqual([
    "files connecting",
    "memory connecting",
    "everything connecting",
  ]);
  const [files, memory, everything] = await Promise.all(["files", "memory", "everything"].map(ready));
  expect(files).toMatchObject({
    transport: "stdio",
    era: "legacy",
    protocolVersion: "2025-11-25",
    lastError: null,
  });
  expect(files?.tools.length).toBe(14);
  expect(memory?.tools.map((tool) => tool.qualifiedName)).toContain("memory__create_entities");
  expect(everything?.instructions).toContain("server");
  expect(everything?.pid).toBeGreaterThan(0);
  expect(everything?.latencyMs).toBeGreaterThan(0);

  await until(() => pool.server("everything")?.prompts === 4 && pool.server("everything")?.resources === 7);

  const listed = await run("files__list_directory", { path: "." });
  expect(listed.result.status).toBe("ok");
  expect(textOf(listed.result)).toContain("welcome.md");
  await run("memory__create_entities", {
    entities: [{ name: "fox", entityType: "animal", observations: ["red"] }],
  });
  expect(textOf((await run("memory__read_graph")).result)).toContain("fox");
  const image = (await run("everything__get-tiny-image")).result.content.find((part) => part.type === "file");
  expect(image).toMatchObject({ mediaType: "image/png" });
  const { structured } = (await run("everything__get-structured-content", { location: "Chicago" })).result;
  expect(structured).toMatchObject({ temperature: expect.any(Number) });
  const links = await run("everything__get-resource-links", { count: 2 });
  expect(links.result.content.filter((part) => part.type === "resource_link")).toHaveLength(2);
});

test("a child gets the few variables of the list and those of its entry", async () => {
  const { ready, run } = await startPool(
    { plain: { ...fixture("plain"), env: { TOKEN: `\${env:MY_TOKEN}`, PLAIN: "yes" } } },
    {
      env: {
        PATH: process.env.PATH,
        HOME: "/nowhere",
        MY_TOKEN: "t-1",
        OPENAI_API_KEY: "sk-canary",
        LANG: "C",
      },
    },
  );
  await ready("plain");
  const text = textOf((await run("plain__environment")).result);
  const environment = JSON.parse(text) as Record<string, string>;
  expect(environment).toMatchObject({ HOME: "/nowhere", TOKEN: "t-1", PLAIN: "yes" });
  expect(text).not.toContain("sk-canary");
  expect(
    Object.keys(environment).filter(
      (name) => !["PATH", "HOME", "TOKEN", "PLAIN", "PWD", "SHLVL", "_"].includes(name),
    ),
  ).toEqual([]);
});

test("a failing server says why and hides no other", async () => {
  const { settled, ready, run } = await startPool({
    nowhere: { command: "no-such-command-here" },
    folder: { ...fixture("plain"), cwd: "no/such/folder" },
    broken: fixture("exits-at-once"),
    unset: { ...fixture("plain"), env: { KEY: `\${env:NOT_SET_AT_ALL}` } },
    plain: fixture("plain"),
  });
  await ready("plain");
  expect((await settled("nowhere")).lastError).toEqual({
    code: "command_not_found",
    message:
      'The command "no-such-command-here" was not found. Install it, or write its full path as "command" of the server.',
  });
  expect((await settled("folder")).lastError?.message).toContain("no/such/folder is not there");
  expect((await settled("broken")).lastError?.message).toContain(
    "exit code 3. It said: cannot read its settings",
  );
  expect((await settled("unset")).lastError?.message).toContain("NOT_SET_AT_ALL, which is not set");
  expect(textOf((await run("plain__echo", { a: 1 })).result)).toBe('echo {"a":1}');
});

test("a server that ends again and again is given up, and started by hand", async () => {
  const { until, pool } = await startPool({ broken: fixture("exits-at-once") });
  await until(() => pool.server("broken")?.lastError?.code === "crash_loop");
  expect(pool.server("broken")).toMatchObject({ status: "failed", tools: [] });
  expect(pool.logs("broken").filter(({ text }) => text.startsWith("Starting "))).toHaveLength(5);
  expect(pool.server("broken")?.lastError?.message).toMatch(
    /^It failed 5 times within 2 minutes .* restart it\.$/,
  );
  await pool.restart("broken");
  expect(pool.server("broken")).toMatchObject({ status: "connecting", lastError: null });
  await until(() => pool.server("broken")?.lastError?.code === "crash_loop");
  expect(pool.logs("broken").filter(({ text }) => text.startsWith("Starting "))).toHaveLength(10);
});

test("a server that dies is started again, and later calls reach it", async () => {
  const { ready, run, folder, until, pool } = await startPool({ crasher: fixture("crasher") });
  const { pid } = await ready("crasher");
  const { result } = await run("crasher__crash", { file: `${folder}/calls` });
  expect(result.status).toBe("unknown");
  expect(textOf(result)).toBe("crasher ended with exit code 1 while the call was on its way.");
  await until(() => pool.server("crasher")?.status === "ready" && pool.server("crasher")?.pid !== pid);
  const exit = "The server ended with exit code 1. It said nothing on stderr.";
  expect(pool.server("crasher")).toMatchObject({ lastError: null, lastCrash: { message: exit } });
  expect(textOf((await run("crasher__echo")).result)).toBe("alive");
  await pool.restart("crasher");
  expect(pool.server("crasher")?.lastCrash).toBeNull();
});

/** Long enough for the test to see that the server is gone. */
const unhurried = { tuning: { backoffMs: 500 } };

test("a question in the moment in which a server starts again has its tools, and its call is answered", async () => {
  const { ready, run, until, pool } = await startPool({ crasher: fixture("crasher") }, unhurried);
  const { pid, tools } = await ready("crasher");
  process.kill(pid as number, "SIGKILL");
  await until(() => pool.server("crasher")?.status === "connecting");
  expect(pool.server("crasher")?.tools).toEqual(tools);
  const box = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() });
  expect(box.list().map(({ name }) => name)).toContain("crasher__echo");
  expect(textOf((await run("crasher__echo")).result)).toBe("alive");
});

/** A server that does not start any more once the file `broken` exists. */
async function startFrail() {
  const at = await startPool({}, unhurried);
  const broken = join(at.folder, "broken");
  await at.pool.file.add({ frail: fixture("frail", broken) });
  await at.pool.file.approve("frail", at.pool.server("frail")?.approvalHash ?? "");
  return { ...at, broken, pid: (await at.ready("frail")).pid };
}

test("what does not come back says why, and its tools are gone", async () => {
  const { broken, pid, ...at } = await startFrail();
  writeFileSync(broken, "");
  process.kill(pid as number, "SIGKILL");
  await at.until(() => at.pool.server("frail")?.status === "connecting");
  const { result } = await at.run("frail__echo");
  expect([result.status, textOf(result)]).toEqual([
    "error",
    "Not run: frail could not be started. The server ended with exit code 4. It said: lost its footing",
  ]);
  expect(at.pool.server("frail")).toMatchObject({ status: "failed", tools: [] });
});

test("a call that broke and cannot be sent again is not told as one that has not run", async () => {
  const { run } = await startFrail();
  const { result } = await run("frail__fall");
  expect(result).toMatchObject({ status: "unknown", reason: "unfinished" });
  expect(textOf(result)).toBe("frail ended with exit code 1 while the call was on its way.");
});

test("a silent server is given up after the time to connect", async () => {
  const { settled } = await startPool({ silent: fixture("silent") }, { tuning: { timeoutMs: 700 } });
  expect((await settled("silent")).lastError).toMatchObject({ code: "timeout" });
});

test("lines on stdout that are no messages are passed over and shown in the log", async () => {
  const { ready, run, pool } = await startPool({ garbage: fixture("garbage") });
  await ready("garbage");
  expect(textOf((await run("garbage__echo")).result)).toBe("in spite of it");
  const lines = pool.logs("garbage").map((line) => line.text);
  expect(lines).toContain("Not a message, passed over: Server listening on stdio!");
});

test("one tool with a bad schema is left out, and the others stay", async () => {
  const { ready, run, pool } = await startPool({ bad: fixture("bad-schema") });
  const { tools } = await ready("bad");
  expect(tools.map((tool) => tool.name)).toEqual(["bad-output", "fit", "good", "misfit"]);
  expect(
    pool
      .logs("bad")
      .map((line) => line.text)
      .join("\n"),
  ).toContain('"no-schema"');
  expect((await run("bad__bad-output")).result.status).toBe("ok");
  expect((await run("bad__fit")).result).toMatchObject({ status: "ok", structured: { n: 1 } });
  const { result } = await run("bad__misfit");
  expect(result.status).toBe("error");
  expect(textOf(result)).toContain("does not fit the schema it declares");
});

test("a result cannot keep us busy by the schema that its server declares, nor by its depth", async () => {
  const { ready, run } = await startPool({ freezer: fixture("freezer") });
  await ready("freezer");
  const started = performance.now();
  expect((await run("freezer__regex")).result).toMatchObject({
    status: "ok",
    structured: { a: expect.stringMatching(/^a+!$/) },
  });
  expect(performance.now() - started).toBeLessThan(5_000);
  const { result } = await run("freezer__deep");
  expect(result.structured).toBeUndefined();
  expect(textOf(result)).toBe("deep[Left out: structured content that is nested too deep.]");
});

test("messages that are not as they should be are passed over, and the next one counts", async () => {
  const { ready, run, pool } = await startPool({ malformed: fixture("malformed") });
  const { pid } = await ready("malformed");
  const { result, chunks } = await run("malformed__notify");
  expect(textOf(result)).toBe("done");
  expect(chunks.slice(1)).toEqual([{ type: "tool_progress", id: result.id, progress: 2, message: "well" }]);
  expect(pool.server("malformed")).toMatchObject({ status: "ready", pid });
  const lines = pool.logs("malformed").map((line) => line.text);
  expect(lines).toContain("← log: (nested too deep, or too much, to be shown)");
  expect(lines.filter((line) => line.startsWith("Progress that is not"))).toHaveLength(3);
});

test("a tool that is nested too deep is left out, and the others and the other servers stay", async () => {
  const { ready, run, pool } = await startPool({ deep: fixture("deep-schema"), plain: fixture("plain") });
  const { tools, toolFaults } = await ready("deep");
  expect(tools.map((tool) => tool.name)).toEqual(["good"]);
  expect(toolFaults).toEqual([
    '"deep": its definition is nested deeper than 64 levels',
    expect.stringMatching(/^A tool without a name: /),
  ]);
  await ready("plain");
  expect(textOf((await run("deep__good")).result)).toBe("good");
  const lines = pool.logs("deep").map((line) => line.text);
  expect(lines).toContain('A tool is left out. "deep": its definition is nested deeper than 64 levels');
  expect(lines.some((line) => line.includes("A tool without a name"))).toBe(true);
});

test("a connection that cannot be taken up leaves no process behind", async () => {
  const marker = `unadopted-${randomUUID()}`;
  let failures = 0;
  const log = (_level: string, message: string) => {
    if (message.includes("is ready") && ++failures === 1) throw new Error("The log is full.");
  };
  const { ready, pool } = await startPool({ plain: fixture("plain", marker) }, { log });
  await ready("plain");
  expect(failures).toBe(2);
  await pool.close();
  expect(processesWith(marker)).toEqual([]);
});

test("an endless list of tools is cut off", async () => {
  const { ready, pool } = await startPool({ endless: fixture("endless"), circle: fixture("circle") });
  expect((await ready("endless")).tools).toHaveLength(64);
  expect((await ready("circle")).tools).toHaveLength(1);
  expect(pool.logs("endless").at(-1)?.text).toContain("did not come to an end");
});

test("a storm of list_changed leads to one new listing", async () => {
  const { ready, run, until, pool } = await startPool({ storm: fixture("storm") });
  await ready("storm");
  expect(textOf((await run("storm__count")).result)).toBe("1");
  const listings = () => pool.logs("storm").filter((line) => line.text.startsWith("→ tools/list")).length;
  await until(() => listings() >= 2);
  expect(Number(textOf((await run("storm__count")).result))).toBeLessThanOrEqual(3);
});

test("200,000 notices of a change hold up neither their call nor the listing after them", async () => {
  const { ready, run, until, pool } = await startPool({ changes: faulty("changes") });
  await ready("changes");
  const logged = (text: string) => pool.logs("changes").filter((line) => line.text.startsWith(text)).length;
  expect(textOf((await run("changes__storm", { times: 200_000 })).result)).toBe("told storm");
  await until(() => logged("→ tools/list") >= 2);
  // A few lines for each chunk that is read.
  expect(logged("← notifications/")).toBeLessThan(1_000);
  expect(logged("→ tools/list")).toBeLessThan(20);
});

test("a server that floods stderr keeps working, and its log stays short", async () => {
  const { ready, run, pool } = await startPool({ flooder: fixture("flooder") });
  await ready("flooder");
  expect(textOf((await run("flooder__echo")).result)).toBe("above the noise");
  const lines = pool.logs("flooder");
  expect(lines.length).toBeLessThanOrEqual(1_000);
  expect(Math.max(...lines.map((line) => line.text.length))).toBeLessThanOrEqual(4_096);
});

test("a server that ends at the first unknown message is spoken to as an older one", async () => {
  const { ready, run } = await startPool({ old: fixture("exits-at-unknown") });
  expect(await ready("old")).toMatchObject({ era: "legacy" });
  expect(textOf((await run("old__echo")).result)).toBe("old");
});

test("a server of the newer wire is spoken to on it", async () => {
  const { ready, run, pool } = await startPool({ modern: fixture("modern") });
  expect(await ready("modern")).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
  expect(textOf((await run("modern__echo")).result)).toBe("modern");
  expect(pool.instructions()).toEqual([{ server: "modern", text: "Modern times." }]);
});

test("odd names of tools and servers reach the right tool", async () => {
  const { ready, run, pool } = await startPool({
    names: fixture("names"),
    names__b: fixture("names"),
    日本: fixture("names"),
  });
  const items = await Promise.all(["names", "names__b", "日本"].map(ready));
  const all = items.flatMap(({ tools }) => tools.map((tool) => tool.qualifiedName));
  expect(new Set(all).size).toBe(24);
  for (const name of all) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  for (const { name: server, tools } of items)
    for (const { name, qualifiedName } of tools) {
      expect(pool.tool(qualifiedName)).toMatchObject({ server, item: { name } });
      expect(textOf((await run(qualifiedName)).result)).toBe(`called ${name}`);
    }
});
