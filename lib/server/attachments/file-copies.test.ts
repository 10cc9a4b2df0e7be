import { lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newId } from "@/lib/server/ids";
import { tempDir } from "@/lib/store/testing/temp-store";
import { FileCopies } from "./file-copies";

const file = (name: string, content = "content", id = newId()) => ({
  ...{ id, name, size: content.length },
  writeTo: (path: string) => writeFile(path, content, { flag: "wx" }),
});

const start = () => {
  const memory = join(tempDir(), "copies.json");
  return { memory, root: tempDir(), copies: new FileCopies(memory) };
};

test.each([
  ["../../etc/passwd", "_.._etc_passwd"],
  ["/etc/passwd", "_etc_passwd"],
  ["..", "file"],
  ["", "file"],
  [".bashrc", "bashrc"],
  ["-rf", "rf"],
  ["a\0b\nc.txt", "a_b_c.txt"],
  ["写真 1.png", "写真 1.png"],
  [`${"あ".repeat(300)}.png`, `${"あ".repeat(48)}.png`],
])("a file that is called %j gets a name that leads nowhere else", async (name, kept) => {
  const { root, copies } = start();
  const one = file(name);
  const path = await copies.put(root, one);
  const safe = path.slice(join(root, ".meguri", one.id).length + 1);
  expect(safe.endsWith(kept)).toBe(true);
  expect(safe).not.toContain("/");
  expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(150);
  expect(await readFile(path, "utf8")).toBe("content");
});

test("the same copy is used again, until a tool has changed it", async () => {
  const { root, copies } = start();
  const one = file("a.txt");
  const path = await copies.put(root, one);
  expect(await copies.put(root, one)).toBe(path);
  await writeFile(path, "CONTENT");
  const next = await copies.put(root, one);
  expect(next).toBe(join(root, ".meguri", `${one.id}.2`, "a.txt"));
  expect([await readFile(path, "utf8"), await readFile(next, "utf8")]).toEqual(["CONTENT", "content"]);
  for (let copy = 2; copy <= 10; copy++) await writeFile(await copies.put(root, one), "mine");
  await expect(copies.put(root, one)).rejects.toThrow(/10 changed copies already/);
});

test("no link is followed: neither at the folder, nor at a file's, nor at the file", async () => {
  const [elsewhere, { root, copies }] = [tempDir(), start()];
  await symlink(elsewhere, join(root, ".meguri"));
  await expect(copies.put(root, file("a.txt"))).rejects.toThrow(/is no folder/);
  await rm(join(root, ".meguri"));
  const one = file("a.txt");
  await mkdir(join(root, ".meguri"));
  await symlink(elsewhere, join(root, ".meguri", one.id));
  await expect(copies.put(root, one)).rejects.toThrow(/is no folder/);
  const two = file("a.txt");
  await mkdir(join(root, ".meguri", two.id));
  await symlink(join(elsewhere, "a.txt"), join(root, ".meguri", two.id, "a.txt"));
  expect(await copies.put(root, two)).toBe(join(root, ".meguri", `${two.id}.2`, "a.txt"));
  expect(await readdir(elsewhere)).toEqual([]);
  await copies.sweep(new Set());
  expect(await readdir(elsewhere)).toEqual([]);
});

test("copies go with their files, after a restart too, and nothing else does", async () => {
  const { root, copies, memory } = start();
  const [gone, kept] = [file("a.txt"), file("b.txt")];
  await copies.put(root, gone);
  const path = await copies.put(root, kept);
  await writeFile(join(root, ".meguri", "somebody's.txt"), "x");
  await writeFile(join(root, "other.txt"), "x");
  await copies.delete([newId()]);
  const next = new FileCopies(memory);
  await next.delete([gone.id]);
  expect((await readdir(join(root, ".meguri"))).toSorted()).toEqual(
    [".gitignore", kept.id, "somebody's.txt"].toSorted(),
  );
  expect((await lstat(path)).isFile()).toBe(true);
  await next.sweep(new Set([kept.id]));
  expect((await lstat(path)).isFile()).toBe(true);
  await rm(join(root, ".meguri", "somebody's.txt"));
  await next.sweep(new Set());
  expect(await readdir(root)).toEqual(["other.txt"]);
  expect(JSON.parse(await readFile(memory, "utf8"))).toEqual([]);
});

test("a folder that is gone or cannot be remembered does no harm", async () => {
  const { root, copies, memory } = start();
  await writeFile(memory, '["/etc", 7, "relative/.meguri"');
  await copies.sweep(new Set());
  await copies.put(root, file("a.txt"));
  await rm(root, { recursive: true });
  await copies.sweep(new Set());
  expect(JSON.parse(await readFile(memory, "utf8"))).toEqual([]);
  await expect(copies.put(root, file("a.txt"))).rejects.toThrow("ENOENT");
});
