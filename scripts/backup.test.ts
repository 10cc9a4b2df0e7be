import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keptVersions, restoreKept } from "@/app/api/testing/old-data";
import { newestVersion } from "@/lib/store/migrations/migrate";
import { openStore } from "@/lib/store/open-store";
import type { Store } from "@/lib/store/ports";
import { commentOf } from "./backup/format.mjs";
import { readKnownSchema } from "./backup/places.mjs";
import { writeZip } from "./backup/write-zip.mjs";

const root = join(import.meta.dirname, "..");
const databases = ["meguri.db", "run-log.db"];
const home = mkdtempSync(join(tmpdir(), "meguri-backup-"));
const dataDir = join(home, "data");
const file = join(home, "one.zip");
/** What lies in DATA_DIR beside the databases, and what lies elsewhere, by the name that it has in a backup. */
const inside = {
  "attachments/a1": "\u0000bytes of a picture",
  "attachments/d1": "bytes of a document",
  "attachments/d1.txt": "what is read of it",
  "servers/memory/ノート.json": '{"remembered":"tea"}',
};
const outside = {
  "mcp-servers.json": '{"mcpServers":{}}',
  "mcp-servers.lock.json": '{"pins":{}}',
  "agents/haiku.yaml": "name: haiku",
};
const notKept = {
  "attachments/half.part": "an upload that goes on",
  "secrets.json.part": "a secret that a killed process was writing",
  "imports/export.zip": "being imported",
  "secrets.json": '{"appSecret":"s3cret"}',
  "meguri.db.previous": "of an older version",
};

let store: Store;
let written: Awaited<ReturnType<typeof run>>;
/** Of each database, when the backup was made. */
let rows: unknown[];

beforeAll(async () => {
  for (const [name, text] of Object.entries({ ...inside, ...notKept })) put(join(dataDir, name), text);
  for (const [name, text] of Object.entries(outside)) put(join(home, name), text);
  store = await openStore({ dataDir });
  await store.settings.set("local", "instructions", "いつも丁寧に");
  await addAttachment("a1", "絵.png");
  written = await run("backup", [file]);
  rows = databases.map((name) => rowsOf(join(dataDir, name)));
});
afterAll(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

const addAttachment = (id: string, name: string) =>
  store.attachments.add(
    {
      ...{ id, userId: "local", conversationId: null, projectId: null, name, mediaType: "image/png" },
      ...{ size: 19, characters: null, createdAt: Date.now() },
    },
    1_000_000,
  );

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const envOf = (folder: string) => ({
  PATH: process.env.PATH,
  ...{ DATA_DIR: folder, MCP_CONFIG: join(home, "mcp-servers.json"), APP_SECRET: "" },
  ...{ AGENTS_DIR: join(home, "agents"), SKILLS_DIR: join(home, "skills") },
});

/** Runs the command as its own process; `limit` are the blocks of 512 bytes that a file of it may have. */
function run(
  command: "backup" | "restore",
  args: string[],
  { folder = dataDir, limit = "unlimited", env = {} } = {},
): Promise<{ code: number | null; out: string; error: string }> {
  const script = join(root, "scripts", `${command}.mjs`);
  const child = spawn(
    "sh",
    ["-c", `trap '' XFSZ; ulimit -f ${limit}; exec "$@"`, "sh", process.execPath, script, ...args],
    {
      ...{ cwd: root, stdio: ["ignore", "pipe", "pipe"] },
      env: { ...envOf(folder), ...env, NODE_ENV: "test" },
    },
  );
  let [out, error] = ["", ""];
  child.stdout.on("data", (data) => {
    out += data;
  });
  child.stderr.on("data", (data) => {
    error += data;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out, error })));
}

/** Every row of every table. */
function rowsOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    return tables.map(({ name }) => [name, db.prepare(`select * from "${name}"`).all()]);
  } finally {
    db.close();
  }
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

test("what an application that runs has stored comes out of a backup as it was, for its owner alone", async () => {
  expect(written).toMatchObject({ code: 0, error: "" });
  expect(written.out).toContain("is not in it");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(`${file}.partial`)).toBe(false);
  const folder = join(home, "restored");
  const restored = await run("restore", [file], { folder });
  expect(restored).toMatchObject({ code: 0, error: "" });
  expect(restored.out).toContain(`MCP_CONFIG=${join(folder, "mcp-servers.json")}`);
  expect(restored.out).toContain("secrets.json");
  expect(filesOf(folder)).toEqual([...databases, ...Object.keys({ ...inside, ...outside })].sort());
  for (const [name, text] of Object.entries({ ...inside, ...outside }))
    expect(readFileSync(join(folder, name), "utf8"), name).toBe(text);
  for (const name of filesOf(folder)) expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(databases.map((name) => rowsOf(join(folder, name)))).toEqual(rows);
  const again = await openStore({ dataDir: folder });
  expect(await again.settings.get("local", "instructions")).toBe("いつも丁寧に");
  await again.close();
});

test("the generated secret is in a backup when that is asked for, and one of the environment never", async () => {
  const to = (name: string) => join(home, name);
  await run("backup", [to("secret.zip"), "--with-secret"]);
  const folder = to("with-secret");
  expect((await run("restore", [to("secret.zip")], { folder })).out).not.toContain("APP_SECRET");
  expect(readFileSync(join(folder, "secrets.json"), "utf8")).toBe(notKept["secrets.json"]);
  const env = { APP_SECRET: "the secret of the environment, long enough" };
  const { out } = await run("backup", [to("environment.zip"), "--with-secret"], { env });
  expect(out).toContain("APP_SECRET, which is not in it");
});

test("a file of an attachment that is missing is told, and one that was deleted meanwhile is not", async () => {
  await addAttachment("gone", "消えた.png");
  const { code, error } = await run("backup", [join(home, "missing.zip")]);
  expect(code).toBe(0);
  expect(error.trim().split("\n")).toEqual([expect.stringContaining("attachment gone is missing")]);
});

test.for([
  ["a file that is there", () => [file], {}, "is not overwritten"],
  ["a file in DATA_DIR", () => [join(dataDir, "attachments", "b.zip")], {}, "is in DATA_DIR"],
  ["a folder that is not there", () => [join(home, "none", "b.zip")], {}, "There is no folder"],
  ["no file", () => [], {}, "Name one file"],
  ["an option that is none", () => [join(home, "b.zip"), "--with-secrets"], {}, "is no option"],
  ["a folder without data", () => [join(home, "b.zip")], { folder: join(home, "agents") }, "holds no data"],
  ["a disk that is full", () => [join(home, "b.zip")], { limit: "16" }, "Nothing was kept"],
] as const)("of %s no backup is made, and nothing is left of it", async ([, args, options, words]) => {
  const before = filesOf(home);
  const { code, error } = await run("backup", [...args()], options);
  expect(code).toBe(1);
  expect(error).toContain(words);
  expect(error.trim().split("\n")).toHaveLength(1);
  expect(filesOf(home)).toEqual(before);
});

test("what another backup has begun is left to it", async () => {
  mkdirSync(join(home, "two.zip.partial"));
  expect((await run("backup", [join(home, "two.zip")])).error).toContain("another backup is being written");
  expect(existsSync(join(home, "two.zip.partial"))).toBe(true);
});

/** A backup with these parts and a list that says what it says. */
async function craft(name: string, names: readonly string[], told: object = {}): Promise<string> {
  const path = join(home, name);
  await writeZip(path, async (add) => {
    const parts = [];
    for (const part of names)
      parts.push({ name: part, ...(await add(`data/${part}`, [Buffer.from("x")], true)) });
    const manifest = {
      ...{ meguri: "backup", version: 1, app: "9.9.9", createdAt: "2026-01-01T00:00:00.000Z" },
      ...{ schema: { records: 1, log: 1 }, secret: "left out", parts, ...told },
    };
    return commentOf((await add("manifest.json", [Buffer.from(JSON.stringify(manifest))], true)).sha256);
  });
  return path;
}

/** The backup with another byte, so many after its begin or before its end. */
function changed(name: string, at: number): string {
  const bytes = readFileSync(file);
  const index = at < 0 ? bytes.length + at : at;
  bytes.write(bytes.toString("latin1", index, index + 1) === "0" ? "1" : "0", index, "latin1");
  writeFileSync(join(home, name), bytes);
  return join(home, name);
}

const cut = (name: string, end: number): string => {
  writeFileSync(join(home, name), readFileSync(file).subarray(0, end));
  return join(home, name);
};

test.for([
  ["cut in the middle", () => cut("cut.zip", Math.floor(statSync(file).size / 2)), "was cut short"],
  ["cut at its last byte", () => cut("end.zip", -1), "no backup, or was cut short"],
  ["changed in a database", () => changed("database.zip", 400), "is damaged"],
  [
    "changed in an attachment",
    () => changed("attachment.zip", readFileSync(file).indexOf("bytes of a picture")),
    "attachments/a1 has changed",
  ],
  ["with another list than was written", () => changed("list.zip", -1), "its list has changed"],
  ["of another kind", () => join(home, "agents/haiku.yaml"), "is no backup"],
  ["that is not there", () => join(home, "nowhere.zip"), "cannot be read"],
  [
    "of a newer schema",
    () => craft("newer.zip", databases, { schema: { records: newestVersion() + 1, log: 1 } }),
    "written by a newer Meguri (9.9.9",
  ],
  ["of a newer form", () => craft("form.zip", databases, { version: 2 }), "written by a newer Meguri"],
  [
    "with a name that leads out of its folder",
    () => craft("out.zip", databases, { parts: [{ name: "../bad", size: 1, sha256: "" }] }),
    "leads out of its folder",
  ],
  ["without a database", () => craft("records.zip", ["meguri.db"]), "run-log.db is missing"],
  [
    "with a file that its list does not name",
    () => craft("more.zip", databases, { parts: [] }),
    "its list does not name",
  ],
] as const)("a backup %s is refused, and nothing of it is put in place", async ([, make, words]) => {
  const folder = join(home, "refused");
  const { code, error } = await run("restore", [await make()], { folder });
  expect(code).toBe(1);
  expect(error).toContain(words);
  expect(error.trim().split("\n")).toHaveLength(1);
  expect(existsSync(folder)).toBe(false);
});

test("a folder that is not empty is left as it is", async () => {
  const folder = join(home, "agents");
  const { code, error } = await run("restore", [file], { folder });
  expect([code, error]).toEqual([1, expect.stringContaining("is not empty (haiku.yaml)")]);
  expect(filesOf(folder)).toEqual(["haiku.yaml"]);
});

test("a name that leads out of the folder is never written", async () => {
  // The library that writes refuses such names, so they are put in behind it.
  const path = await craft("slip.zip", [...databases, "aa/bad"]);
  const bytes = readFileSync(path).toString("latin1");
  writeFileSync(path, bytes.replaceAll("data/aa/bad", "data/../bad"), "latin1");
  const folder = join(home, "refused");
  const { code, error } = await run("restore", [path], { folder });
  expect([code, error]).toEqual([1, expect.stringContaining("is damaged")]);
  expect(existsSync(join(home, "bad"))).toBe(false);
});

test("a backup of an older version is brought to the newest at the next start, which keeps the copy", async () => {
  const [old = ""] = keptVersions();
  restoreKept(old, join(home, "old"));
  const path = join(home, "old.zip");
  expect(await run("backup", [path], { folder: join(home, "old") })).toMatchObject({ code: 0 });
  const folder = join(home, "old-restored");
  expect(await run("restore", [path], { folder })).toMatchObject({ code: 0 });
  await (await openStore({ dataDir: folder })).close();
  expect(readdirSync(folder)).toContain("meguri.db.previous");
});

test("a backup of a newer version that this one can go on with is restored, and keeps its version", async () => {
  const newer = newestVersion() + 1;
  const folder = join(home, "newer");
  await (await openStore({ dataDir: folder })).close();
  const db = new DatabaseSync(join(folder, "meguri.db"));
  db.exec(
    `insert into schema_version values (${newer}, ${newestVersion()}); create table newer_thing (id text)`,
  );
  db.close();
  const path = join(home, "newer-folder.zip");
  expect(await run("backup", [path], { folder })).toMatchObject({ code: 0 });
  const restored = join(home, "newer-restored");
  expect(await run("restore", [path], { folder: restored })).toMatchObject({ code: 0 });
  await (await openStore({ dataDir: restored })).close();
  const raw = new DatabaseSync(join(restored, "meguri.db"), { readOnly: true });
  expect(raw.prepare("select max(version) as newest from schema_version").get()).toEqual({ newest: newer });
  expect(raw.prepare("select * from newer_thing").all()).toEqual([]);
  raw.close();
});

test("the versions that restoring knows are those of the store", () => {
  expect(readKnownSchema()).toEqual({ records: newestVersion(["records"]), log: newestVersion(["log"]) });
});
