import { type ChildProcess, execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "@playwright/test";
import { expected } from "@/docs/examples/expected";
import { type Packed, packAndInstall } from "../support/packed";
import { checkTypes, runExamples, writeExamples } from "../support/packed-examples";
import { processesWith } from "../support/processes";

// One installation for all of them.
test.describe.configure({ mode: "default" });

let packed: Packed;
let home: string;
let servers: ChildProcess[];

test.beforeAll(async () => {
  // It packs and unpacks thousands of files, which a busy disk takes its time for.
  test.setTimeout(600_000);
  packed = await packAndInstall();
});
test.afterAll(() => packed.dispose());

test.beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "meguri-home-"));
  servers = [];
});
test.afterEach(() => {
  for (const server of servers) server.kill("SIGKILL");
  // What they and others have started has this folder in its command line.
  for (const { pid } of processesWith(home)) process.kill(pid, "SIGKILL");
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const dataDir = () => join(home, "share", "meguri");

function start(args: readonly string[]): ChildProcess {
  const server = packed.spawn(home, args);
  servers.push(server);
  return server;
}

async function ready(server: ChildProcess): Promise<URL> {
  let output = "";
  server.stderr?.on("data", (data) => {
    output += data;
  });
  if (!server.stdout) throw new Error("It has no stdout.");
  for await (const line of createInterface({ input: server.stdout })) {
    output += `${line}\n`;
    const [, url] = /Meguri is ready: (\S+)/.exec(line) ?? [];
    if (url === undefined) continue;
    server.stdout.resume();
    return new URL(url);
  }
  throw new Error(output);
}

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());

test("the package is complete, small, and says in one sentence what it needs", async () => {
  const files = filesIn(join(packed.folder, "node_modules", "meguri"));
  expect(files.filter((entry) => !entry.isFile())).toEqual([]);
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  expect(bytes).toBeLessThan(250_000_000);
  expect(files.map(({ name }) => name).filter((name) => /\.node$|^\.env|\.db$|\.map$/.test(name))).toEqual(
    [],
  );
  for (const { parentPath, name } of files.filter((file) => file.name.startsWith("required-server-files.")))
    expect(readFileSync(join(parentPath, name), "utf8")).not.toContain(process.cwd());
  // It brings what it runs on: npm has installed nothing beside it.
  expect(readdirSync(join(packed.folder, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "meguri",
  ]);

  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(await packed.run(home, ["--version"])).toEqual({ stdout: `${version}\n`, stderr: "", code: 0 });
  expect((await packed.run(home, ["--help"])).stdout).toContain("meguri mcp");
  const unknown = await packed.run(home, ["aks", "why"]);
  expect(unknown).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^"aks" is no command.*\n$/),
    code: 1,
  });
  const stray = await packed.run(home, ["replay", "--port", "1", "x"]);
  expect(stray).toMatchObject({ stderr: expect.stringMatching(/^--port is no option of .*\n$/), code: 1 });

  const asNode20 = `data:text/javascript,${encodeURIComponent(
    'Object.defineProperty(process, "versions", {value: {...process.versions, node: "20.19.0"}})',
  )}`;
  const old = promisify(execFile)(process.execPath, ["--import", asNode20, packed.command]);
  await expect(old).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(
      /^Meguri needs Node 22\.13 or newer, and this is 20\.19\.0: [^.]+\.org[^.]+\.\n$/,
    ),
  });
  expect(readdirSync(home)).toEqual([]);
});

test("it starts, keeps everything in the usual folder, and is asked from another terminal", async () => {
  const server = start(["--port", "0"]);
  const url = await ready(server);
  const { origin } = url;

  const session = await fetch(url, { redirect: "manual" });
  const [cookie = ""] = session.headers.getSetCookie().map((one) => one.split(";")[0]);
  const page = await fetch(origin, { headers: { cookie } });
  expect(page.status).toBe(200);
  const html = await page.text();
  const scripts = [...html.matchAll(/\/_next\/static\/[^"\\]+\.(?:js|css)/g)].map(([path]) => path);
  expect(scripts.length).toBeGreaterThan(0);
  for (const path of new Set(scripts))
    expect([path, (await fetch(origin + path)).status]).toEqual([path, 200]);

  const file = join(dataDir(), "meguri.server");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ pid: server.pid, url: url.href, origin });

  const again = await packed.run(home, []);
  expect(again).toEqual({ stdout: `Meguri runs already: ${url.href}\n`, stderr: "", code: 0 });

  const asked = await packed.run(home, ["ask", "list the files"]);
  expect(asked).toMatchObject({ stdout: expect.stringContaining("welcome.md"), code: 0 });
  const json = await packed.run(home, ["ask", "--json", "count to 3"]);
  const chunks = json.stdout.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
  expect(chunks.at(-1)).toMatchObject({ type: "result", result: { stopReason: "end_turn" } });
  const text = chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.content] : [])).join("");
  expect(text).toBe(chunks.at(-1).result.finalText);

  server.kill("SIGTERM");
  expect((await once(server, "exit"))[0]).toBe(0);
  expect(readdirSync(dataDir())).toEqual(
    expect.arrayContaining(["agents", "mcp-servers.json", "meguri.db", "sandbox", "secrets.json"]),
  );
  expect(readdirSync(dataDir())).not.toContain("meguri.server");
  expect(readdirSync(home)).toEqual(["share"]);
});

test("without one that runs, a question has its own, which ends with it", async () => {
  const asked = await packed.run(home, ["ask", "Please"], "count to 3\n");
  expect(asked).toMatchObject({ stderr: "", code: 0 });
  expect(asked.stdout).toMatch(/1\D+2\D+3/);
  expect(processesWith(home)).toEqual([]);
});

test("conversations and backups go out and in", async () => {
  expect((await packed.run(home, ["ask", "count to 2"])).code).toBe(0);
  const exported = await packed.run(home, ["export", "all.zip"]);
  expect(exported).toMatchObject({ stdout: expect.stringContaining("all.zip is written: 1 conv"), code: 0 });
  const again = await packed.run(home, ["export", "all.zip"]);
  expect(again).toMatchObject({ stderr: expect.stringContaining("is there already"), code: 1 });
  const imported = await packed.run(home, ["import", "all.zip", "--data", join(home, "other")]);
  expect(imported).toEqual({ stdout: "Imported: 1. Extended: 0. Left out: 0.\n", stderr: "", code: 0 });

  expect(await packed.run(home, ["backup", "all.backup"])).toMatchObject({ stderr: "", code: 0 });
  const full = await packed.run(home, ["restore", "all.backup"]);
  expect(full).toMatchObject({ stderr: expect.stringContaining("is not empty"), code: 1 });
  const restored = await packed.run(home, ["restore", "all.backup", "--data", join(home, "third")]);
  expect(restored).toMatchObject({ stderr: "", code: 0 });
  expect(readdirSync(join(home, "third"))).toContain("meguri.db");
  expect((await packed.run(home, ["backup"])).stderr).toContain("meguri backup <file> [--with-secret]");
});

/** What Claude Desktop and others do with a command. */
async function connect() {
  const transport = new StdioClientTransport({
    command: packed.command,
    args: ["mcp"],
    env: packed.env(home),
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  const errors: Error[] = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport);
  const pid = transport.pid ?? -1;
  return { client, pid, errors };
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) =>
  JSON.stringify((await client.callTool({ name, arguments: args })).content);

test("over stdio the servers are one, of a Meguri of its own that ends with it", async () => {
  const { client, errors } = await connect();
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
    .toContain("filesystem__list_allowed_directories");
  expect(await call(client, "filesystem__list_allowed_directories")).toContain(join(dataDir(), "sandbox"));
  await expect(client.callTool({ name: "nothing__there", arguments: {} })).rejects.toThrow(/nothing__there/);
  expect(processesWith(home).length).toBeGreaterThan(0);
  await client.close();
  await expect.poll(() => processesWith(home)).toEqual([]);
  expect(errors).toEqual([]);
});

test("over stdio it joins the Meguri that runs, and finds the next one when that has ended", async () => {
  const first = start(["--port", "0"]);
  await ready(first);
  const { client, pid } = await connect();
  await expect
    .poll(async () => (await client.listTools()).tools.map(({ name }) => name))
    .toContain("filesystem__list_allowed_directories");
  // Its own would have been told the folder.
  expect(processesWith(`--data ${dataDir()}`)).toEqual([]);

  first.kill("SIGKILL");
  await once(first, "exit");
  expect(await call(client, "filesystem__list_allowed_directories")).toContain("sandbox");
  expect(processesWith(`--data ${dataDir()}`)).toHaveLength(1);

  // A client that is killed says nothing; what it has started ends all the same.
  process.kill(pid, "SIGKILL");
  await expect.poll(() => processesWith(home)).toEqual([]);
  await client.close();
});

test("over stdio a signal ends it, and what it has started", async () => {
  const server = start(["mcp"]);
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  server.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
  if (!server.stdout) throw new Error("It has no stdout.");
  await once(server.stdout, "data");
  server.kill("SIGTERM");
  expect((await once(server, "exit"))[0]).toBe(0);
  await expect.poll(() => processesWith(home)).toEqual([]);
});

test("over stdio what is asked before the end of the input is answered", async () => {
  const said = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const { stdout, code } = await packed.run(
    home,
    ["mcp"],
    `${said(1, "initialize", hello)}this is no JSON\n${said(2, "ping", {})}`,
  );
  const answers = stdout.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
  expect(answers).toMatchObject([
    { id: 1, result: { protocolVersion: "2025-06-18", serverInfo: { name: expect.any(String) } } },
    { id: null, error: { code: -32_700 } },
    { id: 2, result: {} },
  ]);
  expect(code).toBe(0);
});

test("the loop, workflows and the pool are a library: the examples run with it, and their types hold", async () => {
  writeExamples(packed.folder, home);
  expect(await runExamples(home)).toEqual(expected);
  expect(await checkTypes(home)).toBe("");
});
