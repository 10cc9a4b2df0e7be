import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigFile } from "@/lib/mcp/config/config-file";
import { FileDocument } from "@/lib/mcp/config/file-document";
import { SharedDocument } from "@/lib/mcp/config/shared-document";
import { SharedChanges } from "@/lib/mcp/config/shared-documents";
import type { TextDocument } from "@/lib/mcp/config/text-document";
import { newDatabase, seen } from "@/lib/server/testing/shared-pools";
import { openInstance } from "@/lib/store/testing/open-instance";

/** A place for a text: `open` gives it to one who reads and writes there, `put` is somebody else. */
interface Place {
  open(): TextDocument;
  put(text: string): Promise<void>;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "meguri-document-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function inFile(): Promise<Place> {
  const path = join(folder(), "mcp-servers.json");
  return { open: () => new FileDocument(path), put: async (text) => writeFileSync(path, text) };
}

async function inRow(): Promise<Place> {
  const { documents, close } = openInstance(await newDatabase());
  onTestFinished(close);
  const seed = new FileDocument(join(folder(), "mcp-servers.json"));
  return {
    open: () => {
      const options = { before: async () => {}, warn: () => {} };
      const changes = new SharedChanges({ label: "PostgreSQL", ...documents }, options);
      changes.start();
      onTestFinished(() => changes.stop());
      return new SharedDocument("mcp-servers", seed, changes);
    },
    put: async (text) => {
      const version = (await documents.read("mcp-servers"))?.version;
      expect(await documents.write("mcp-servers", text, version)).toBeDefined();
    },
  };
}

const servers = (...names: string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: "a" }])) });

describe.each([
  ["a file", inFile],
  ["a row", inRow],
])("a document in %s", (_where, place) => {
  test("is not there at first, and is written on the version that was read alone", async () => {
    const { open, put } = await place();
    const [one, other] = [open(), open()];
    expect(await one.read()).toBeUndefined();
    const first = await one.write(servers("a"), undefined);
    expect(await one.read()).toEqual({ text: servers("a"), version: first });
    expect(await other.write(servers("b"), undefined)).toBeUndefined();
    expect(await other.read()).toEqual({ text: servers("a"), version: first });
    const second = await other.write(servers("a", "b"), first);
    expect(second).not.toBe(first);
    expect(await one.write(servers("c"), first)).toBeUndefined();
    await put(servers("d"));
    expect(await one.write(servers("c"), second)).toBeUndefined();
    expect((await other.read())?.text).toBe(servers("d"));
  });

  test("is followed: what somebody else writes there is in force, and a text that is none is told of", async () => {
    const { open, put } = await place();
    await put(servers("a"));
    let changes = 0;
    const config = new ConfigFile(open(), () => changes++);
    await config.start();
    onTestFinished(() => config.stop());
    const names = () => [...config.current.servers.keys()];
    expect([names(), changes]).toEqual([["a"], 1]);
    await put(servers("a", "b"));
    await seen(() => expect(names()).toEqual(["a", "b"]));
    await put('{ "mcpServers": [] }');
    await seen(() => expect(config.error).toMatchObject({ line: 1 }));
    expect(names()).toEqual(["a", "b"]);
    await expect(config.edit(() => {})).rejects.toMatchObject({ code: "file_broken" });
    await put(servers("c"));
    await seen(() => expect([names(), config.error]).toEqual([["c"], null]));
    expect(changes).toBe(4);
  });

  test("is edited as it is at that moment, not as it was when somebody last looked", async () => {
    const { open, put } = await place();
    await put(servers("a"));
    const config = new ConfigFile(open(), () => {});
    await config.start();
    config.stop();
    await put(servers("a", "b"));
    const { version } = config;
    let calls = 0;
    await config.edit(async (entries) => {
      // And once more where somebody is faster.
      if (++calls === 1) await put(servers("a", "b", "c"));
      entries[`d${calls}`] = { command: "d" };
    });
    expect([...config.current.servers.keys()]).toEqual(["a", "b", "c", "d2"]);
    expect(config.version).not.toBe(version);
    expect(await open().read()).toMatchObject({ text: expect.stringContaining('"d2"') });
  });
});
