import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import v8 from "node:v8";
import vm from "node:vm";
import { expect, test } from "vitest";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { putAgentFile, showAgentFile } from "./agent-files";
import { type AgentDeps, readFolder } from "./agent-folder";
import { listAgents } from "./agents";

const providers = { provider: () => ({}) } as unknown as AgentDeps["providers"];
const text = "name: one\nagent: {type: llm, name: a, instruction: Go.}\n";
const inFolder = (dir: string) => ({ env: { AGENTS_DIR: dir }, providers, turns: new KeyedMutex() });

test("a folder that cannot be made or written says so, and nothing is changed", async () => {
  const dir = await mkdtemp(join(tmpdir(), "meguri-agents-"));
  await writeFile(join(dir, "taken"), "a file");
  const deps = inFolder(join(dir, "taken", "agents"));
  await expect(putAgentFile(deps, "one", { text, version: null }, false)).rejects.toMatchObject({
    status: 409,
    code: "folder_not_writable",
    message: expect.stringMatching(/cannot be written \(E\w+\), so nothing was changed; .* AGENTS_DIR/),
  });
});

test("a folder that is not there yet is made with its first agent", async () => {
  const dir = join(await mkdtemp(join(tmpdir(), "meguri-agents-")), "agents");
  const deps = inFolder(dir);
  const { version } = await putAgentFile(deps, "one", { text, version: null }, false);
  expect(await readFile(join(dir, "one.yaml"), "utf8")).toBe(text);
  expect(await showAgentFile(deps, "one")).toMatchObject({ text, version, problems: [] });
});

const agent = (name: string) => text.replace("one", name);
const newFolder = () => mkdtemp(join(tmpdir(), "meguri-agents-"));

test("a file is parsed once, and anew when its text is another", async () => {
  const dir = await newFolder();
  const deps = inFolder(dir);
  await writeFile(join(dir, "one.yaml"), agent("one"));
  const [first] = await readFolder(deps);
  expect((await readFolder(deps))[0]?.read).toBe(first?.read);
  await writeFile(join(dir, "one.yaml"), agent("two"));
  expect((await listAgents(deps)).items).toMatchObject([{ id: "two" }]);
});

test("of too many files the first ones are read, and it is said", async () => {
  const dir = await newFolder();
  const deps = inFolder(dir);
  for (let at = 100; at <= 220; at++) await writeFile(join(dir, `a${at}.yaml`), agent(`a${at}`));
  const { items, errors } = await listAgents(deps);
  expect(items).toHaveLength(100);
  expect(errors).toEqual([
    "agents/a200.yaml:1: At most 100 files are read, and 121 are there; delete some, or move them away.",
  ]);
  for (const id of ["a200", "a210", "more"])
    await expect(putAgentFile(deps, id, { text: agent(id), version: null }, false)).rejects.toMatchObject({
      message: expect.stringMatching(/At most 100 files|There are 100 agents already/),
    });
});

test("what an editor or a crash leaves behind is no agent", async () => {
  const dir = await newFolder();
  for (const name of [".#one.yaml", "._one.yaml", ".one.yaml.4f.tmp", "one.yaml~"])
    await writeFile(join(dir, name), "name: [");
  expect(await listAgents(inFolder(dir))).toMatchObject({ items: [], errors: [] });
});

test("a folder of the longest agents is read without holding what they were parsed to", async () => {
  const dir = await newFolder();
  const part = (at: number) => `    - {type: llm, name: a${at}, instruction: "${"x ".repeat(4_500)}"}\n`;
  const parts = Array.from({ length: 20 }, (_, at) => part(at)).join("");
  for (let at = 0; at < 12; at++)
    await writeFile(
      join(dir, `a${at}.yaml`),
      `name: a${at}\nagent:\n  type: parallel\n  name: p\n  agents:\n${parts}`,
    );
  v8.setFlagsFromString("--expose-gc");
  const collect = vm.runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const folder = await readFolder(inFolder(dir));
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  // Each text twice, and no more; 180 KB that the parser has put together are 6 MB.
  expect(folder.filter(({ read }) => "definition" in read)).toHaveLength(12);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(12_000_000);
});
