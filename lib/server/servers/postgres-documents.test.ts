import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import {
  localServer,
  newDatabase,
  poolOn,
  ready,
  seen,
  statusOf,
  twoPools,
} from "@/lib/server/testing/shared-pools";
import { ask } from "@/lib/store/testing/postgres-server";

/** Nobody listens there. */
const remote = (at: string): McpServerConfig => ({ url: `http://127.0.0.1:9/${at}` });
const off = (at: string): McpServerConfig => ({ ...remote(at), disabled: true });
const namesOf = ({ pool }: { pool: { list(): { items: { name: string }[] } } }) =>
  pool.list().items.map(({ name }) => name);

test("of two first starts at once one puts its file in, and both have and trust what it holds", async () => {
  for (let round = 0; round < 5; round++) {
    const url = await newDatabase();
    const [a, b] = ["a", "b"].map((name) => poolOn(url, { [name]: localServer })) as [
      ReturnType<typeof poolOn>,
      ReturnType<typeof poolOn>,
    ];
    await Promise.all([a.start(), b.start()]);
    const [name = ""] = namesOf(a);
    expect([namesOf(a), namesOf(b)]).toEqual([[name], [name]]);
    expect(await a.documents.read("mcp-servers")).toMatchObject({ version: 1 });
    for (const each of [a, b]) await ready(each, name);
    expect([a.pool.list().configPath, b.pool.list().configPath]).toEqual(
      Array(2).fill("PostgreSQL: mcp-servers"),
    );
  }
});

test("once a row is there the file counts no more, and a later start trusts nothing of what was added", async () => {
  const url = await newDatabase();
  const first = poolOn(url, { one: off("one") });
  await first.start();
  await first.pool.file.add({ two: remote("two") });
  writeFileSync(join(first.folder, "mcp-servers.json"), JSON.stringify({ mcpServers: { x: off("x") } }));
  // A first start that has looked whether there was one before the other had come to its end.
  const late = poolOn(url, { other: off("other") }, { trustFile: true });
  await late.start();
  expect(namesOf(late)).toEqual(["one", "two"]);
  expect(statusOf(late, "two")).toBe("needs_approval");
  await first.pool.lookForChanges();
  expect(namesOf(first)).toEqual(["one", "two"]);
});

test("a change at one instance comes to the other by itself, and at once where it is told to look", async () => {
  const [a, b] = await twoPools({ one: off("one") });
  expect(namesOf(b)).toEqual(["one"]);
  await a.pool.file.add({ two: off("two") });
  await seen(() => expect(namesOf(b)).toEqual(["one", "two"]));
  await b.pool.file.update("two", off("again"));
  await b.pool.file.remove("one");
  await a.pool.lookForChanges();
  expect(namesOf(a)).toEqual(["two"]);
  expect(a.pool.server("two")?.config.url).toBe("http://127.0.0.1:9/again");
});

test("changes of both at the same moment are all kept", async () => {
  const [a, b] = await twoPools({});
  const names = Array.from({ length: 12 }, (_, at) => `s${String(at).padStart(2, "0")}`);
  await Promise.all(names.map((name, at) => (at % 2 ? a : b).pool.file.add({ [name]: off(name) })));
  await a.pool.lookForChanges();
  expect(namesOf(a).toSorted()).toEqual(names);
  expect((await a.documents.read("mcp-servers"))?.version).toBe(1 + names.length);
});

test("who saves the whole over what another instance has changed is told, and loses nothing", async () => {
  const [a, b] = await twoPools({ one: off("one") });
  const shown = await b.pool.file.show();
  await a.pool.file.add({ two: off("two") });
  const text = JSON.stringify({ mcpServers: { one: off("mine") } });
  await expect(b.pool.file.replace({ ...shown, text })).rejects.toMatchObject({ code: "file_changed" });
  const { version, changes } = await b.pool.file.compare(text);
  expect(changes.map(({ name, change }) => `${name} ${change}`)).toEqual(["one changed", "two removed"]);
  await b.pool.file.replace({ text, version });
  await seen(() => expect(namesOf(a)).toEqual(["one"]));
});

test("an approval counts at every instance, and so does its end", async () => {
  const [a, b] = await twoPools({});
  await a.pool.file.add({ plain: localServer });
  expect(statusOf(a, "plain")).toBe("needs_approval");
  await a.pool.file.approve("plain", a.pool.server("plain")?.approvalHash ?? "", []);
  await seen(() => expect(["connecting", "ready"]).toContain(statusOf(b, "plain")));
  await ready(b, "plain");
  await b.pool.file.remove("plain");
  await b.pool.file.add({ plain: localServer });
  await seen(() => expect(statusOf(a, "plain")).toBe("needs_approval"));
});

test("what is kept for a removed server is deleted by who has removed it, and by nobody after that", async () => {
  const [a, b] = await twoPools({ one: off("one") });
  await a.pool.file.remove("one");
  await b.pool.lookForChanges();
  // Where it is added again, its secrets come after that: an instance that hears of it later must not delete them.
  await a.pool.file.add({ one: remote("one") });
  await b.pool.lookForChanges();
  await b.pool.file.add({ two: off("two") });
  expect(namesOf(b)).toEqual(["one", "two"]);
  expect(a.removed).toEqual(["one", "one"]);
  expect(b.removed).toEqual(["two"]);
});

test("a row that this version cannot read is told of, what was in force stays, and it is left alone", async () => {
  const [a, b, url] = await twoPools({ one: off("one") });
  const newer = JSON.stringify({ mcpServers: { one: { ...off("one"), url: { of: "a newer form" } } } });
  expect(await a.documents.write("mcp-servers", newer, 1)).toBe(2);
  await seen(() =>
    expect(b.pool.list().fileError).toMatchObject({ message: expect.stringContaining("url") }),
  );
  expect(namesOf(b)).toEqual(["one"]);
  const refused = {
    code: "file_broken",
    message: expect.stringContaining("If a newer Meguri has written it"),
  };
  await expect(b.pool.file.add({ two: off("two") })).rejects.toMatchObject(refused);
  await expect(b.pool.file.show()).rejects.toMatchObject(refused);
  expect((await a.documents.read("mcp-servers"))?.text).toBe(newer);
  const late = poolOn(url, { one: off("one") }, { trustFile: false });
  await late.start();
  expect(late.pool.list()).toMatchObject({ items: [], fileError: { message: expect.any(String) } });
  await a.documents.write("mcp-servers", JSON.stringify({ mcpServers: { two: off("two") } }), 2);
  await b.pool.lookForChanges();
  expect(b.pool.list().fileError).toBeNull();
  expect(namesOf(b)).toEqual(["two"]);
});

test("a file that cannot be read is not put in; it is as soon as it can be", async () => {
  const url = await newDatabase();
  const a = poolOn(url, "{ no JSON");
  await a.start();
  expect(a.pool.list()).toMatchObject({
    items: [],
    configPath: join(a.folder, "mcp-servers.json"),
    fileError: { line: 1 },
  });
  await expect(a.pool.file.add({ two: off("two") })).rejects.toMatchObject({
    code: "file_broken",
    message: expect.stringMatching(/^mcp-servers\.json cannot be read .* Fix the file first/),
  });
  expect(await a.documents.read("mcp-servers")).toBeUndefined();
  writeFileSync(join(a.folder, "mcp-servers.json"), JSON.stringify({ mcpServers: { one: off("one") } }));
  await seen(() => expect(namesOf(a)).toEqual(["one"]));
  expect(a.pool.list()).toMatchObject({ fileError: null, configPath: "PostgreSQL: mcp-servers" });
});

test("while the database is away what was in force stays, and the changes of that time come after it", async () => {
  const [a, b, url] = await twoPools({ one: off("one") });
  await ask(url, "alter table document rename to away");
  await b.pool.lookForChanges();
  await b.pool.lookForChanges();
  expect(b.warnings.filter((warning) => warning.includes("cannot be read now"))).toHaveLength(1);
  await expect(b.pool.file.add({ two: off("two") })).rejects.toThrow("document");
  expect(b.pool.list()).toMatchObject({ items: [{ name: "one" }], fileError: null });
  await ask(url, "alter table away rename to document");
  await a.pool.file.add({ three: off("three") });
  await b.pool.lookForChanges();
  expect(namesOf(b)).toEqual(["one", "three"]);
});

test("a file that is deployed stays what counts: it is followed, and nothing here changes it", async () => {
  const url = await newDatabase();
  const a = poolOn(url, { one: off("one") }, { isManaged: true });
  await a.start();
  const path = join(a.folder, "mcp-servers.json");
  expect(a.pool.list()).toMatchObject({ isManaged: true, configPath: path });
  const { version, text } = await a.pool.file.show();
  const refused = { code: "file_managed", message: expect.stringContaining(path) };
  const make = vi.fn((config: McpServerConfig) => config);
  await expect(a.pool.file.add({ two: off("two") })).rejects.toMatchObject(refused);
  await expect(a.pool.file.edit("one", make)).rejects.toMatchObject(refused);
  await expect(a.pool.file.remove("one")).rejects.toMatchObject(refused);
  await expect(a.pool.file.replace({ version, text })).rejects.toMatchObject(refused);
  // What it does on the way, as to store secrets, would be done for nothing.
  expect(make).not.toHaveBeenCalled();
  writeFileSync(path, JSON.stringify({ mcpServers: { one: off("one"), two: localServer } }));
  await seen(() => expect(namesOf(a)).toEqual(["one", "two"]));
  expect(await a.documents.read("mcp-servers")).toBeUndefined();
  await a.pool.file.approve("two", a.pool.server("two")?.approvalHash ?? "");
  await ready(a, "two");
  expect(await a.documents.read("mcp-servers.lock")).toMatchObject({ version: 1 });
});
