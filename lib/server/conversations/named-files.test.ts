import { mkdtemp, readdir, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { npmServer } from "@/lib/mcp/testing/test-pool";
import type { Chunk } from "@/lib/protocol/chunk";
import { newId } from "@/lib/server/ids";
import { answerRun } from "@/lib/server/runs/answer-run";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { ended, historyOf, logOf, nextOf, questionsOf, stored, user } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, type Script, startProcess, type World } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { chat } from "./chat";
import { deleteConversation, restorableMs } from "./delete-conversation";
import { purgeDeleted } from "./purge";

const done = [text("Done."), stop("end_turn")];
const asks = (name: string, args: Record<string, unknown>, id = "a") => [
  call(id, name, args),
  stop("tool_use"),
];
const fileServer = join(import.meta.dirname, "../../mcp/testing/file-server.mjs");

/** A process whose servers are `files` (it works in a folder of its own) and the real filesystem server on `root`. */
async function start({ allow = true } = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), "named-files-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const journal = `${root}.journal`;
  onTestFinished(() => rm(journal, { force: true }));
  // Ids are known once the files are there, so what the model says comes later.
  const script: Script[number][] = [];
  const opened = await openWorld(script);
  const tools = await startPool({
    desk: opened.desk.config,
    files: { command: "node", args: [fileServer, journal] },
    disk: npmServer("server-filesystem", root),
  });
  await Promise.all([tools.ready("desk"), tools.ready("files"), tools.ready("disk")]);
  const world: World = { ...opened, tools };
  if (allow) await world.store.settings.set(user, "rules", [{ pattern: "mcp:*:*", effect: "allow" }]);
  const calls = async (): Promise<{ name: string; args: Record<string, unknown> }[]> =>
    (await readFile(journal, "utf8").catch(() => ""))
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return {
    app: startProcess(world),
    world,
    root,
    calls,
    says: (...turns: Script) => void script.push(...turns),
  };
}

/** A file that a message can name. */
async function attach(app: Process, bytes: Uint8Array, name = "dot.png", owner = user): Promise<string> {
  const row = {
    ...{ id: newId(), userId: owner, conversationId: null, projectId: null },
    ...described(bytes, name),
  };
  await app.files.write(row.id, bytes);
  await app.store.attachments.add(row, 1_000_000_000);
  return row.id;
}

const described = (bytes: Uint8Array, name: string) => ({
  ...{ name, mediaType: "image/png", size: bytes.byteLength, characters: null, createdAt: Date.now() },
});

type Asked = Parameters<typeof chat>[2];
const send = async (app: Process, ids: string[], more: Partial<Asked> = {}): Promise<RunRow> =>
  chat(app, user, { message: { text: "Do it.", attachments: ids.map((id) => ({ id })) }, ...more } as Asked);

const resultsIn = (log: readonly Chunk[]) =>
  log.flatMap((chunk) => (chunk.type === "tool_result" ? [chunk.result] : []));
const said = (log: readonly Chunk[]) =>
  resultsIn(log).flatMap(({ status, content }) =>
    content.map((part) => (part.type === "text" ? `${status}: ${part.text}` : part.type)),
  );
const bytes = Buffer.from("some bytes of a file");

const ref = (id: string) => `attachment:${id}`;

test("a tool gets a file as its schema says, and the log keeps its name", async () => {
  const { app, calls, says, root, world } = await start();
  const id = await attach(app, bytes);
  says(
    [
      call("a", "files__base64", { data: ref(id), note: "as it is" }),
      call("b", "files__uri", { image: ref(id) }),
      call("c", "files__path", { path: ref(id) }),
      call("d", "disk__read_text_file", { path: ref(id) }),
      call("e", "files__many", { files: [{ data: ref(id) }, { data: "QUJD" }] }),
      call("f", "files__echo", { text: `see ${ref(id)}` }),
      stop("tool_use"),
    ],
    done,
  );
  const run = await ended(app, await send(app, [id]));
  const log = await logOf(app, run);
  const size = bytes.byteLength;
  expect(said(log).toSorted()).toEqual(
    [
      `ok: ${size} bytes`,
      `ok: data:image/png;base64, ${size} bytes`,
      `ok: ${size} bytes`,
      `ok: ${bytes}`,
      `ok: ${size} bytes, 3 bytes`,
      `ok: see ${ref(id)}`,
    ].toSorted(),
  );
  const sent = new Map((await calls()).map(({ name, args }) => [name, args]));
  expect(sent.get("base64")).toEqual({ data: bytes.toString("base64"), note: "as it is" });
  expect(sent.get("uri")).toEqual({ image: `data:image/png;base64,${bytes.toString("base64")}` });
  const own = join(world.tools.folder, "servers/files");
  expect(sent.get("path")).toEqual({ path: join(await realpath(own), ".meguri", id, "dot.png") });
  expect(await readFile(join(root, ".meguri", id, "dot.png"))).toEqual(bytes);
  // Neither the log nor the history has a byte of it.
  const kept = JSON.stringify([log, await historyOf(app, run)]);
  expect(kept).not.toContain(bytes.toString("base64"));
  expect(log.filter(({ type }) => type === "tool_start")).toHaveLength(6);
  expect(kept.split(ref(id)).length).toBeGreaterThan(12);
  await deleteConversation(app, user, run.conversationId);
  const { files, turns } = app;
  expect(
    await purgeDeleted(
      { store: world.store, files, turns },
      { isClosed: () => false, now: Date.now() + restorableMs },
    ),
  ).toBe(1);
  expect(await readdir(root)).toEqual([]);
  expect(await readdir(own)).toEqual([]);
});

test("what is gone, of another conversation or of somebody else is not sent, and nobody is asked about it", async () => {
  const { app, calls, says } = await start({ allow: false });
  const [gone, elsewhere, loose, foreign] = [
    await attach(app, bytes),
    await attach(app, bytes),
    await attach(app, bytes),
    await attach(app, bytes, "x.png", "eve"),
  ];
  says(done);
  await ended(app, await send(app, [elsewhere]));
  const ids = [gone, elsewhere, loose, foreign, newId()];
  says([...ids.map((id, at) => call(`c${at}`, "files__base64", { data: ref(id) })), stop("tool_use")], done);
  const own = await attach(app, bytes);
  await app.files.delete([gone]);
  const run = await ended(app, await send(app, [own, ...[]]));
  expect(run.status).toBe("completed");
  expect(said(await logOf(app, run)).toSorted()).toEqual(
    ids
      .map(
        (id) =>
          `error: Not run: There is no file ${ref(id)} in this conversation (any more). Name one that is there, or ask for it to be attached.`,
      )
      .toSorted(),
  );
  expect(await calls()).toEqual([]);
});

test("what is too much is refused by name: files of a call, and their bytes", async () => {
  const { app, calls, says } = await start();
  const large = await attach(app, Buffer.alloc(5 * 1024 * 1024), "large.png");
  const small = await attach(app, bytes);
  says(
    [
      call("a", "files__many", { files: [{ data: ref(large) }, { data: ref(large) }] }),
      call("b", "files__many", { files: Array.from({ length: 11 }, () => ({ data: ref(small) })) }),
      call("c", "files__base64", { data: ref(large) }),
      stop("tool_use"),
    ],
    done,
  );
  const run = await ended(app, await send(app, [large, small]));
  expect(said(await logOf(app, run)).toSorted()).toEqual([
    "error: Not run: A call may name 10 files, and this one names 11. Send fewer at a time.",
    "error: Not run: The files in the arguments of this call have 10 MB, and may have 8 MB together. Send a smaller file, or use a tool that takes a path.",
    `ok: ${5 * 1024 * 1024} bytes`,
  ]);
  expect(await calls()).toHaveLength(1);
});

test("a server that is elsewhere has no folder for a path, and is told of no file", async () => {
  const { app, world, says } = await start();
  const id = await attach(app, bytes);
  says(asks("desk__work", { files: [ref(id)] }), done);
  const run = await ended(app, await send(app, [id]));
  expect(said(await logOf(app, run))).toEqual([
    'error: Not run: No file can be given at /files/0: its schema asks for no base64 (contentEncoding) and no URI (format), so it would be a path, and desk has no folder in which files can be put for it. A folder under "roots" in its entry would be one.',
  ]);
  expect(world.desk.calls).toEqual([]);
});

test("what calls in flight hold in memory is bounded, and given back", async () => {
  const { app, says, world } = await start();
  const id = await attach(app, bytes);
  const rest = app.files.lend(64 * 1024 * 1024 - bytes.byteLength + 1);
  const turn = asks("files__base64", { data: ref(id) });
  says(turn, done, asks("files__base64", { data: ref(id) }, "b"), done);
  const first = await ended(app, await send(app, [id]));
  expect(said(await logOf(app, first))).toEqual([
    "error: Not run: Too many files are being handed to tools at once. Try it again in a moment.",
  ]);
  rest?.();
  const second = await ended(app, await send(app, [], { conversationId: first.conversationId }));
  expect(said(await logOf(app, second))).toEqual([`ok: ${bytes.byteLength} bytes`]);
  expect(app.files.lend(64 * 1024 * 1024)).toBeDefined();
  expect(world.turns).toHaveLength(4);
});

test("what a tool has returned can be handed on, small or large, in the same run and in a later one", async () => {
  const { app, world, says } = await start();
  const sizes = [1_000, 100_000];
  for (const size of sizes) says(asks("files__give", { bytes: size }, `g${size}`), done);
  let run = await send(app, []);
  const { conversationId } = run;
  await ended(app, run);
  run = await ended(app, await send(app, [], { conversationId }));
  const ids = (await historyOf(app, run)).flatMap((message) =>
    message.role === "tool"
      ? message.results.flatMap(({ content }) =>
          content.flatMap((part) => (part.type === "file" ? (part.attachmentId ?? part.id ?? "none") : [])),
        )
      : [],
  );
  expect(ids).toHaveLength(2);
  says(
    [
      ...ids.flatMap((id, at) => [
        call(`b${at}`, "files__base64", { data: ref(id) }),
        call(`p${at}`, "disk__get_file_info", { path: ref(id) }),
      ]),
      stop("tool_use"),
    ],
    done,
  );
  run = await ended(app, await send(app, [], { conversationId }));
  const results = said(await logOf(app, run)).map((line) => line.replaceAll("\n", " "));
  for (const size of sizes) {
    expect(results).toContain(`ok: ${size} bytes`);
    expect(results.filter((line) => line.startsWith(`ok: size: ${size} `))).toHaveLength(1);
  }
  // The model has read how to name them.
  const read = JSON.stringify(world.turns.at(-2)?.history);
  expect(ids.every((id) => read.includes(id))).toBe(true);
});

test("a file that is denied is not handed over, and an approval that comes after a restart looks it up anew", async () => {
  const { app, world, calls, says } = await start({ allow: false });
  const id = await attach(app, bytes);
  says(asks("files__base64", { data: ref(id) }), done, asks("files__base64", { data: ref(id) }, "b"), done);
  const first = await ended(app, await send(app, [id]));
  expect(await questionsOf(app, first)).toMatchObject([{ call: { args: { data: ref(id) } } }]);
  await answerRun(app, first, { requestId: "a", decision: "deny" });
  await ended(app, (await nextOf(app, first)) ?? first);
  expect(await calls()).toEqual([]);

  const { conversationId } = first;
  const second = await ended(app, await send(app, [], { conversationId }));
  app.store.kill();
  const next: Process = { ...startProcess(world), files: app.files };
  await recoverRuns(next);
  await answerRun(next, second, { requestId: "b", decision: "approve" });
  const last = await ended(next, (await nextOf(next, second)) ?? second);
  expect(said(await logOf(next, last))).toEqual([`ok: ${bytes.byteLength} bytes`]);
});

test("a file that goes while its approval is waited for is not sent", async () => {
  const { app, calls, says } = await start({ allow: false });
  const id = await attach(app, bytes);
  says(asks("files__base64", { data: ref(id) }), done);
  const run = await ended(app, await send(app, [id]));
  await app.files.delete([id]);
  await answerRun(app, run, { requestId: "a", decision: "approve" });
  const last = await ended(app, (await nextOf(app, run)) ?? run);
  expect(said(await logOf(app, last))).toEqual([
    `error: Not run: There is no file ${ref(id)} in this conversation (any more). Name one that is there, or ask for it to be attached.`,
  ]);
  expect((await logOf(app, last)).some(({ type }) => type === "tool_start")).toBe(false);
  expect(await calls()).toEqual([]);
});

test("arguments that a person types may name a file of the conversation, and no other", async () => {
  const { app, says } = await start({ allow: false });
  const id = await attach(app, bytes);
  says(asks("files__base64", { data: "QUJD" }), done);
  const run = await ended(app, await send(app, [id]));
  const answer = (data: string, note = "short") =>
    answerRun(app, run, { requestId: "a", decision: "approve", args: { data, note } });
  await expect(answer(ref(newId()))).rejects.toThrow(
    /^args: There is no file attachment:.* in this conversation/,
  );
  await expect(answer(ref(id), "far longer than its schema")).rejects.toThrow(/^args: \/note: /);
  await answer(ref(id));
  const last = await ended(app, (await nextOf(app, run)) ?? run);
  expect(resultsIn(await logOf(app, last))).toMatchObject([
    { status: "ok", args: { data: ref(id), note: "short" } },
  ]);
});

test("a call that was out when the process died is asked about under its reference, and sent again with the file", async () => {
  const { app, world, calls, says } = await start();
  const id = await attach(app, bytes);
  says(asks("files__base64", { data: ref(id) }), done);
  const held = app.store.hold("log.append", (_id: string, events: { data: Chunk }[]) =>
    events.some(({ data }) => data.type === "tool_result"),
  );
  const run = await send(app, [id]);
  await held.reached;
  app.store.kill();
  const next: Process = { ...startProcess(world), files: app.files };
  await recoverRuns(next);
  const resumed = await ended(next, await resumeRun(next, await stored(next, run.id)));
  expect(await questionsOf(next, resumed)).toMatchObject([
    { reason: "outcome_unknown", call: { args: { data: ref(id) } } },
  ]);
  await answerRun(next, resumed, { requestId: "a", decision: "retry" });
  const last = await ended(next, (await nextOf(next, resumed)) ?? resumed);
  expect(said(await logOf(next, last))).toEqual([`ok: ${bytes.byteLength} bytes`]);
  expect((await calls()).map(({ args }) => args.data)).toEqual(
    Array.from({ length: 2 }, () => bytes.toString("base64")),
  );
});
