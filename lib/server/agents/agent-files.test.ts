import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { putAgentFile, showAgentFile } from "./agent-files";
import type { AgentDeps } from "./agent-folder";

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
