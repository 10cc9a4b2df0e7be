import { expect, test } from "vitest";
import type { ProjectRow } from "./kept-types";
import { conversation, run } from "./testing/rows";
import { openTempStore, tempDir } from "./testing/temp-store";
import type { AttachmentRow } from "./types";

const quota = { count: 3, bytes: 1_000 };
const project = (id: string, patch: Partial<ProjectRow> = {}): ProjectRow => ({
  id,
  userId: "ann",
  name: "Refunds",
  instructions: "Amounts in yen.",
  files: [],
  createdAt: 4000,
  ...patch,
});
const file = (id: string, patch: Partial<AttachmentRow> = {}): AttachmentRow => ({
  id,
  userId: "ann",
  conversationId: null,
  projectId: null,
  name: `${id}.md`,
  mediaType: "text/markdown",
  size: 10,
  characters: 10,
  createdAt: 4000,
  ...patch,
});

test("a project is kept over a restart, changed and deleted, by its owner alone", async () => {
  const dataDir = tempDir();
  const first = await openTempStore({ dataDir });
  const row = project("p1", { servers: ["pay"] });
  expect(await first.projects.add(row, quota)).toBe(true);
  await first.close();

  const { projects } = await openTempStore({ dataDir });
  expect(await projects.get("ann", "p1")).toEqual(row);
  expect(await projects.get("ben", "p1")).toBeUndefined();
  const rename = (fields: Omit<ProjectRow, "id" | "userId" | "createdAt">) => ({ ...fields, name: "返金" });
  expect(await projects.update("ann", "p1", rename, quota)).toEqual({ dropped: [] });
  expect(await projects.get("ann", "p1")).toEqual({ ...row, name: "返金" });
  await expect(projects.update("ben", "p1", rename, quota)).rejects.toMatchObject({ code: "not_found" });
  await expect(projects.delete("ben", "p1", "none")).rejects.toMatchObject({ code: "not_found" });
  expect(await projects.delete("ann", "p1", "none")).toEqual({ dropped: [] });
  expect(await projects.get("ann", "p1")).toBeUndefined();
});

test("no more are kept than are allowed, in number and in bytes; those of others do not count", async () => {
  const { projects } = await openTempStore();
  await projects.add(project("b1", { userId: "ben", instructions: "x".repeat(800) }), quota);
  for (const id of ["p1", "p2", "p3"]) expect(await projects.add(project(id), quota)).toBe(true);
  expect(await projects.add(project("p4"), quota)).toBe(false);
  const long = { instructions: "訳".repeat(300) };
  expect(await projects.update("ann", "p2", (fields) => ({ ...fields, ...long }), quota)).toBe(false);
  expect((await projects.get("ann", "p2"))?.instructions).toBe("Amounts in yen.");
});

test("a project takes up files that are nobody's; what it drops is deleted, and of another's nothing is taken", async () => {
  const { projects, attachments, conversations } = await openTempStore();
  await conversations.create(conversation());
  for (const row of [
    file("a"),
    file("b"),
    file("talk", { conversationId: "c1" }),
    file("his", { userId: "ben" }),
  ])
    await attachments.add(row, 1_000);
  await projects.add(project("p1", { files: ["a", "b"] }), quota);
  expect((await attachments.ofProject("p1")).map(({ id }) => id).sort()).toEqual(["a", "b"]);
  expect(await attachments.countLoose("ann")).toBe(0);
  expect(await attachments.deleteLoose(9000)).toEqual(["his"]);
  for (const files of [["a", "talk"], ["a", "his"], ["gone"]])
    await expect(
      projects.update("ann", "p1", (fields) => ({ ...fields, files }), quota),
    ).rejects.toMatchObject({ code: "not_found" });
  expect(await projects.add(project("p2"), quota)).toBe(true);
  await expect(
    projects.update("ann", "p2", (fields) => ({ ...fields, files: ["a"] }), quota),
  ).rejects.toMatchObject({ code: "not_found" });
  expect(await projects.get("ann", "p1")).toMatchObject({ files: ["a", "b"] });
  const onlyB = await projects.update("ann", "p1", (fields) => ({ ...fields, files: ["b"] }), quota);
  expect(onlyB).toEqual({ dropped: ["a"] });
  expect(await projects.delete("ann", "p1", "none")).toEqual({ dropped: ["b"] });
  expect([...(await attachments.allIds())]).toEqual(["talk"]);
});

test("its conversations are counted and listed, and stay in no project when it is deleted", async () => {
  const { projects, conversations, runs } = await openTempStore();
  await projects.add(project("p1"), quota);
  await projects.add(project("p2", { createdAt: 5000 }), quota);
  for (const id of ["c1", "c2", "c3"]) await conversations.create(conversation({ id, projectId: "p1" }));
  await conversations.create(conversation({ id: "free" }));
  await runs.create(run("r1", { conversationId: "c1", status: "failed", startedAt: 1 }));
  await runs.create(run("r2", { conversationId: "c1", status: "waiting", startedAt: 2 }));
  await runs.create(run("r3", { conversationId: "c2", status: "failed" }));
  await conversations.update("c3", { archived: true });
  const { items } = await projects.list("ann", { limit: 5 });
  expect(items.map(({ id, counts }) => [id, counts])).toEqual([
    ["p2", { all: 0, archived: 0, waiting: 0, failed: 0 }],
    ["p1", { all: 3, archived: 1, waiting: 1, failed: 1 }],
  ]);
  const listed = async (projectId: string) =>
    (await conversations.list("ann", { limit: 5, projectId })).items.map(({ id }) => id).sort();
  expect(await listed("p1")).toEqual(["c1", "c2", "c3"]);
  await conversations.update("c3", { projectId: "p2" });
  await conversations.update("c2", { projectId: null });
  expect([await listed("p1"), await listed("p2")]).toEqual([["c1"], ["c3"]]);
  await expect(conversations.update("c1", { projectId: "gone" })).rejects.toMatchObject({
    code: "not_found",
  });
  expect(await projects.delete("ann", "p1", "none")).toBe(false);
  expect(await projects.delete("ann", "p1", "keep")).toEqual({ dropped: [] });
  expect((await conversations.get("ann", "c1"))?.projectId).toBeNull();
});
