import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { approvalHash } from "@/lib/mcp/config/launch";
import { common, npmServer, openPool, root, textOf } from "@/lib/mcp/testing/test-pool";
import { workFolder } from "./work-folder";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
const start = async (...args: Parameters<typeof openPool>) => {
  const pool = await openPool(...args);
  closing.push(() => pool.close());
  return pool;
};

test("a server without a folder works in one of its own, which is shown before it is approved", async () => {
  const { ready, run, pool, folder } = await start({ "notes/ü": common("writer"), notes: common("writer") });
  const shown = await Promise.all(
    ["notes/ü", "notes"].map(async (name) => (await ready(name)).approvalForm.cwd ?? ""),
  );
  expect(new Set(shown).size).toBe(2);
  for (const place of shown) expect(place.startsWith(join(folder, "servers/"))).toBe(true);
  expect(shown[1]).toBe(join(folder, "servers", "notes"));
  const said = textOf((await run("notes__write", { file: "x.txt" })).result);
  expect(said).toBe(await realpath(shown[1] ?? ""));
  expect(await readFile(join(folder, "servers/notes/x.txt"), "utf8")).toBe("written");
  expect((await stat(join(folder, "servers/notes"))).mode & 0o077).toBe(0);
  await expect(stat(join(root, "x.txt"))).rejects.toThrow("ENOENT");
  // What it has written outlives a restart.
  await pool.restart("notes");
  await ready("notes");
  expect(await readFile(join(folder, "servers/notes/x.txt"), "utf8")).toBe("written");
});

test("an entry that names something in the project works there, as one that says so does", async () => {
  const { ready, run } = await start({
    files: npmServer("server-filesystem", "sandbox"),
    named: { ...common("writer"), cwd: "lib" },
  });
  expect((await ready("files")).approvalForm.cwd).toBe(root);
  expect(textOf((await run("files__list_directory", { path: "." })).result)).toContain("welcome.md");
  expect((await ready("named")).approvalForm.cwd).toBe(join(root, "lib"));
});

test("what was approved before servers had folders of their own stays approved", () => {
  const entry = { command: "npx", args: ["-y", "some-server"] };
  // The hash as older versions computed it, with the folder of the project.
  expect(approvalHash(entry, "/project")).toBe(
    "375a314bb2bf551936edba30599b03c0b5c077c70c178610e433a2da7428c54d",
  );
});

test("only places in the project count, and names never meet", async () => {
  const project = await mkdtemp(join(tmpdir(), "work-"));
  closing.push(() => rm(project, { recursive: true, force: true }));
  await mkdir(join(project, "sandbox"));
  await writeFile(join(project, "server.py"), "");
  const places = { root: project, dataDir: "/data" };
  const of = (command: string, ...args: string[]) => workFolder("a", { command, args }, places);
  expect(of("npx", "-y", "server-filesystem", "sandbox")).toBe(project);
  expect(of("python", "./server.py")).toBe(project);
  for (const args of [
    ["-y"],
    ["/etc"],
    ["~/x"],
    ["https://x.example/server.py"],
    ["gone.py"],
    [`\${HOME}`],
    [""],
  ])
    expect(of("npx", ...args), args[0]).toBe("/data/servers/a");
  const names = ["a", "A/", "A_", "..", ".", "__", "a".repeat(60), `${"a".repeat(59)}b`];
  const folders = names.map((name) => workFolder(name, { command: "x" }, places));
  expect(new Set(folders).size).toBe(names.length);
  for (const folder of folders) expect(folder).toMatch(/^\/data\/servers\/[\w-]{1,60}$/);
});
