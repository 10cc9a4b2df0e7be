import { rmSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "./engine";
import { packRanges } from "./packing/packed-range";
import { openPostgresEngine } from "./postgres-engine";
import { PostgresLogWriter } from "./postgres-log-writer";
import { LogSession } from "./postgres-session";
import { openRunLog } from "./run-log";
import { ask } from "./testing/postgres-server";
import { events, text } from "./testing/rows";
import { openTempEngine, placeOf, tempDir } from "./testing/temp-store";

test("a session that breaks between two commits is opened again", async () => {
  const dataDir = tempDir();
  const engine = await openTempEngine(dataDir);
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  const { databaseUrl = "" } = await placeOf(dataDir);
  await log.append("r1", events(1, 1), false);
  await ask(
    databaseUrl,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  await log.append("r1", events(2, 2), false);
  expect(await log.read("r1", 0, 10)).toEqual(events(1, 2));
});

/** Stands before a server's socket; `cut` lets the next request through and breaks the line before its answer, `still` has the lines that there are say nothing any more. */
async function openLine(url: string) {
  const folder = tempDir();
  const host = new URL(url).searchParams.get("host") ?? "";
  const name = ".s.PGSQL.5432";
  let cuts = false;
  const stills: (() => void)[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(join(host, name));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    client.pipe(upstream);
    let isStill = false;
    stills.push(() => {
      isStill = true;
    });
    upstream.on("data", (data) => {
      if (isStill) return;
      if (!cuts || !data.includes("INSERT")) return client.write(data);
      cuts = false;
      client.destroy();
      return upstream.end();
    });
    client.on("close", () => upstream.end());
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(join(folder, name), resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    rmSync(join(folder, name), { force: true });
  });
  const through = new URL(url);
  through.searchParams.set("host", folder);
  return {
    url: through.href,
    cut: () => {
      cuts = true;
    },
    still: () => {
      for (const still of stills) still();
    },
  };
}

/** A log that is written over a line of its own; after `awayMs` without the server what is to be written fails. */
function logOver(engine: Engine, url: string, { silentMs, awayMs }: { silentMs?: number; awayMs?: number }) {
  const { members } = engine;
  const session = new LogSession(url, { id: members.id, faults: 0 }, silentMs);
  onTestFinished(() => session.close());
  const writer = new PostgresLogWriter(session, () => members.id, undefined, awayMs);
  return openRunLog({ ...engine, write: (work) => writer.write(work) });
}

test("a line that has gone silent is given up, and what was sent over it goes over another one", async () => {
  const dataDir = tempDir();
  const engine = await openTempEngine(dataDir);
  onTestFinished(() => engine.close());
  const { databaseUrl = "" } = await placeOf(dataDir);
  const line = await openLine(databaseUrl);
  const log = logOver(engine, line.url, { silentMs: 500 });
  await log.append("r1", events(1, 2), false);
  line.still();
  await log.append("r1", events(3, 4), false);
  await log.append("r1", events(5, 5), false);
  expect(await log.read("r1", 0, 10)).toEqual(events(1, 5));
});

test("a commit whose answer was lost is made again, and nothing is there twice", async () => {
  const dataDir = tempDir();
  const { databaseUrl = "" } = await placeOf(dataDir);
  const line = await openLine(databaseUrl);
  const engine = await openPostgresEngine({ dataDir, url: line.url });
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  await log.append("r1", events(1, 2), false);
  line.cut();
  await log.append("r1", events(3, 4), true);
  await log.append("r1", events(5, 5), true);
  expect(await log.read("r1", 0, 10)).toEqual(events(1, 5));
});

test("where the server stays away what is to be written fails, and its numbers are those of what comes then", async () => {
  const dataDir = tempDir();
  const { databaseUrl = "" } = await placeOf(dataDir);
  const line = await openLine(databaseUrl);
  const engine = await openTempEngine(dataDir);
  onTestFinished(() => engine.close());
  const log = logOver(engine, line.url, { awayMs: 0 });
  await log.append("r1", events(1, 2), false);
  line.cut();
  await expect(log.append("r1", events(3, 4), true)).rejects.toMatchObject({ code: "io" });
  expect(await log.lastSeq("r1")).toBe(4);
  const other = { seq: 3, at: 1, data: text("other") };
  await log.append("r1", [other], true);
  expect(await log.read("r1", 0, 10)).toEqual([...events(1, 2), other]);
  await expect(log.append("r1", events(3, 3), true)).rejects.toMatchObject({ code: "duplicate" });
  await log.append("r1", events(4, 5), true);
  expect(await log.lastSeq("r1")).toBe(5);
});

test("a log that two instances pack at once is packed once, and neither has a fault to tell of", async () => {
  const dataDir = tempDir();
  const { databaseUrl: url = "" } = await placeOf(dataDir);
  const open = async (folder: string) => {
    const engine = await openPostgresEngine({ dataDir: folder, url, isShared: true });
    onTestFinished(() => engine.close());
    return engine;
  };
  const [one, other] = [await open(dataDir), await open(tempDir())];
  const log = openRunLog(one);
  await log.append("r1", events(1, 3), true);
  const [row] = await ask(url, "select first, last, at, data from event_range");
  const number = (name: string) => Number(row?.[name]);
  const range = { first: number("first"), last: number("last"), at: number("at"), data: String(row?.data) };
  const packed = await packRanges("r1", [range]);
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query("begin; select 1 from event_range for update");
  const replacing = Promise.all(
    [one, other].map((engine) => engine.write((writer) => writer.replace("r1", packed, 1), false)),
  );
  // Both have begun, and wait.
  await expect
    .poll(() =>
      ask(
        url,
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      ),
    )
    .toHaveLength(2);
  await client.query("commit");
  await replacing;
  expect(await log.read("r1", 0, 10)).toEqual(events(1, 3));
});
