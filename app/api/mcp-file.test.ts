import { beforeEach, expect, test } from "vitest";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { McpFile, McpFileChanges } from "@/lib/protocol/mcp-file";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, withApplication } from "./testing/call-api";
import { readMcpFile, writeMcpFile } from "./testing/mcp-file";

const script = "lib/mcp/testing/fixture-server.mjs";
/** A reference. */
const home = `\${env:HOME}`;
const clear = "correct-horse-battery";
const plain = { command: "node", args: [script, "plain"], perInstance: true };
const first = {
  one: { ...plain, env: { ACCESS_TOKEN: clear, PLACE: home } },
  two: { ...plain, disabled: true },
};
withApplication(first);

const kept = async () => JSON.parse(await readMcpFile());
const write = (document: unknown) =>
  writeMcpFile(typeof document === "string" ? document : JSON.stringify(document, null, 2));
const show = async (): Promise<McpFile> => (await callApi("GET", "/api/mcp/file")).json();
const put = async (body: unknown, query = "") => {
  const response = await callApi("PUT", `/api/mcp/file${query}`, body);
  return { status: response.status, body: await response.json() };
};
const server = async (name: string): Promise<McpServerItem> =>
  (await callApi("GET", `/api/mcp/servers/${name}`)).json();
const edit = (file: McpFile, change: (document: ReturnType<typeof JSON.parse>) => void) => {
  const document = JSON.parse(file.text);
  change(document);
  return { text: JSON.stringify(document, null, 2), version: file.version };
};
const approveAll = async () => {
  for (const name of ["one", "two"]) {
    const { approvalHash: hash } = await server(name);
    await callApi("POST", `/api/mcp/servers/${name}/approve`, { hash });
  }
};

beforeEach(async () => {
  await write({ mcpServers: first, inputs: [{ id: "kept" }] });
  await show();
  await approveAll();
});

test("the file is shown with references as they stand and with what is secret masked", async () => {
  const { text, version, path } = await show();
  expect(path).toBe((await getDeps()).pool.list().configPath);
  expect(version).toMatch(/^[\w-]{43}$/);
  expect(text).not.toContain(clear);
  expect(JSON.parse(text)).toEqual({
    mcpServers: { ...first, one: { ...first.one, env: { ACCESS_TOKEN: "••••tery", PLACE: home } } },
    inputs: [{ id: "kept" }],
  });
});

test("what would change is told before, and a preview changes nothing", async () => {
  const file = await show();
  const edited = edit(file, (document) => {
    document.mcpServers.three = { command: "node", args: ["three.mjs"] };
    document.mcpServers.one.args.push("more");
    delete document.mcpServers.two;
  });
  const before = await kept();
  const { status, body } = await put(edited, "?preview=true");
  expect([status, body]).toEqual([
    200,
    {
      version: file.version,
      others: false,
      changes: [
        { name: "one", change: "changed", fields: ["args"], needsApproval: true },
        { name: "three", change: "added", fields: [], needsApproval: true },
        { name: "two", change: "removed", fields: [], needsApproval: false },
      ],
    } satisfies McpFileChanges,
  ]);
  expect(await kept()).toEqual(before);
  expect((await put({ text: file.text, version: file.version }, "?preview=true")).body.changes).toEqual([]);
});

test("saving writes what was edited, keeps masked values as they are stored, and leaves approvals where nothing that runs changed", async () => {
  const file = await show();
  const edited = edit(file, (document) => {
    document.mcpServers.one.timeout = 5_000;
    document.mcpServers.one.env.MORE = "x";
    document.mcpServers.two.deferred = true;
    document.inputs = [];
  });
  const { status, body } = await put(edited);
  expect([status, body.others, body.changes]).toEqual([
    200,
    true,
    [
      { name: "one", change: "changed", fields: ["env", "timeout"], needsApproval: true },
      { name: "two", change: "changed", fields: ["deferred"], needsApproval: false },
    ],
  ]);
  expect(await kept()).toEqual({
    mcpServers: {
      one: {
        ...first.one,
        env: { ACCESS_TOKEN: clear, PLACE: home, MORE: "x" },
        timeout: 5_000,
      },
      two: { ...first.two, deferred: true },
    },
    inputs: [],
  });
  expect((await server("one")).status).toBe("needs_approval");
  expect((await show()).version).toBe(body.version);
});

test("a file that has changed meanwhile is not overwritten, and says what to do", async () => {
  const file = await show();
  const edited = edit(file, (document) => {
    document.mcpServers.one.timeout = 5_000;
  });
  await write({ mcpServers: { ...first, late: { command: "node", args: ["late.mjs"] } } });
  const refused = await put(edited);
  expect(refused).toMatchObject({ status: 409, body: { error: { code: "file_changed" } } });
  expect(refused.body.error.message).toContain("nothing was changed");
  expect(Object.keys((await kept()).mcpServers)).toEqual(["one", "two", "late"]);
  // A preview says what saving would do to the file as it is now, and on which version that stands.
  const { body } = await put(edited, "?preview=true");
  expect(body.version).not.toBe(file.version);
  expect(body.changes).toContainEqual({ name: "late", change: "removed", fields: [], needsApproval: false });
  expect((await put({ ...edited, version: body.version })).status).toBe(200);
  expect(Object.keys((await kept()).mcpServers)).toEqual(["one", "two"]);
});

test("a server that is taken out is forgotten: what comes back under its name is approved anew", async () => {
  expect((await server("two")).status).toBe("disabled");
  await callApi("PATCH", "/api/mcp/servers/two/secrets", { KEPT: "a-secret-of-two" });
  const file = await show();
  const { body } = await put(edit(file, (document) => delete document.mcpServers.two));
  const back = await put({ text: file.text, version: body.version });
  expect(back.body.changes).toEqual([{ name: "two", change: "added", fields: [], needsApproval: true }]);
  expect((await server("two")).secrets).toEqual([]);
});

test("bad text is refused at its line in plain words, and the old configuration stays in force", async () => {
  const { version } = await show();
  const before = await kept();
  const inside = (lines: string) => `{\n  "mcpServers": {\n    "one": {\n${lines}\n    }\n  }\n}\n`;
  for (const [text, line, message] of [
    [inside('      "command": "node",'), 5, /comma too many/],
    [inside('      "command": "node",\n      "command": "deno"'), 5, /appears twice/],
    [
      '{\n  "mcpServers": {\n    "a": {"command": "x"},\n    "a": {"command": "y"}\n  }\n}',
      4,
      /appears twice/,
    ],
    [inside('      "command": "node",\n      "__proto__": {}'), 5, /not allowed/],
    [inside('      "command": "node",\n      "timeout": 0'), 5, /^mcpServers\.one\.timeout: /],
    [inside('      "command": "node",\n      "args": "x"'), 5, /^mcpServers\.one\.args: /],
    [inside('      "url": "ftp://x"'), 4, /^mcpServers\.one\.url: .*http/],
    [
      inside('      "command": "node",\n      "env": {\n        "A": "••••x"\n      }'),
      6,
      /^mcpServers\.one\.env\.A: .*masked value/,
    ],
    [inside('      "args": []'), 3, /needs a "command"/],
    ['{\n  "mcpServers": []\n}', 2, /object "mcpServers"/],
    ["{}", 1, /object "mcpServers"/],
    ["", 1, /./],
    ["x".repeat(11 * 1024 * 1024), undefined, /^It has 11\.0 MB; at most 1 MB is read\./],
    [`{"mcpServers":${"[".repeat(100_000)}`, undefined, /./],
  ] as const)
    for (const query of ["", "?preview=true"]) {
      const { status, body } = await put({ text, version }, query);
      expect([status, body.error.code, body.error.details?.line], text.slice(0, 200)).toEqual([
        400,
        "invalid_input",
        line,
      ]);
      expect(body.error.message).toMatch(message);
    }
  expect(await kept()).toEqual(before);
  expect((await show()).version).toBe(version);
});

test("bad bodies are refused by the name of their field", async () => {
  const { text, version } = await show();
  for (const [body, query, field] of [
    [{ text }, "", "version"],
    [{ version }, "", "text"],
    [{ text: {}, version }, "", "text"],
    [{ text, version, more: 1 }, "", "more"],
    [{ text, version }, "?preview=maybe", "preview"],
  ] as const) {
    const answer = await put(body, query);
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^${field}: `)),
    ]);
  }
});

test("a file that is broken on disk is not overwritten: it is mended first", async () => {
  const file = await show();
  await write('{"mcpServers": {');
  for (const query of ["", "?preview=true"])
    expect(await put({ text: file.text, version: file.version }, query)).toMatchObject({
      status: 409,
      body: { error: { code: "file_broken" } },
    });
  expect(await readMcpFile()).toBe('{"mcpServers": {');
});
