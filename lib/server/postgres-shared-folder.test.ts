import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Store } from "@/lib/store/ports";
import { openSharedStores, tempDir } from "@/lib/store/testing/temp-store";
import { readAgentTexts } from "./agents/agent-folder";
import { SharedFolder } from "./shared-folder";
import { readSkillTexts } from "./skills/read-skill-texts";

const agent = (text: string) =>
  `name: one\nagent:\n  type: llm\n  name: a\n  tools: none\n  instruction: ${text}\n`;

/** A folder with these files. */
function folderOf(files: Record<string, string>, dir = tempDir()): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, ".."), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

interface Instance {
  store: Store;
  /** Its mount; none where it is not there. */
  source: string;
  dataDir?: string;
  name?: "agents" | "skills";
}

async function open({ store, source, dataDir = tempDir(), name = "agents" }: Instance) {
  const warn = vi.fn();
  const read = (dir: string) => (name === "agents" ? readAgentTexts : readSkillTexts)(dir, warn);
  const { documents, leases } = store;
  const folder = await SharedFolder.open({ ...{ name, source, dataDir, documents, leases, warn }, read });
  onTestFinished(() => folder.close());
  const file = (path = "one.yaml") => {
    try {
      return readFileSync(join(folder.dir, path), "utf8");
    } catch {
      return undefined;
    }
  };
  const names = () => readdirSync(folder.dir).toSorted();
  return { folder, file, names, warn };
}

async function twoStores() {
  const [one, other] = await openSharedStores(2);
  if (!one || !other) throw new Error("Two were opened.");
  return { one, other };
}

const nowhere = "/nowhere";

test("what one instance was given all have, and what is changed or deleted at one is so at the others within 3 s", async () => {
  const { one, other } = await twoStores();
  const here = await open({
    store: one,
    source: folderOf({ "one.yaml": agent("1"), "two.yml": agent("2") }),
  });
  const there = await open({ store: other, source: nowhere });
  expect(there.names()).toEqual(["one.yaml", "two.yml"]);
  expect(await there.folder.change("one.yaml", { "one.yaml": agent("by somebody") })).toBe(true);
  expect(await there.folder.change("new.yaml", { "new.yaml": agent("3") })).toBe(true);
  await expect.poll(() => here.file(), { timeout: 3_000 }).toBe(agent("by somebody"));
  expect(here.names()).toEqual(["new.yaml", "one.yaml", "two.yml"]);
  await here.folder.change("two.yml", undefined);
  await here.folder.change("new.yaml", undefined);
  await expect.poll(there.names, { timeout: 3_000 }).toEqual(["one.yaml"]);
  expect(await one.documents.names("agents/new")).toEqual([]);
});

test("of two first starts with the same folder one puts it in", async () => {
  const { one, other } = await twoStores();
  const source = folderOf({ "one.yaml": agent("1"), "two.yaml": agent("2") });
  const opened = await Promise.all([open({ store: one, source }), open({ store: other, source })]);
  for (const { names } of opened) expect(names()).toEqual(["one.yaml", "two.yaml"]);
  expect([...(await one.documents.versionsUnder("agents/")).values()]).toEqual([1, 1]);
});

test("a file that changes in the folder of one is taken up; who has the older one leaves it at that, also after a start", async () => {
  const { one, other } = await twoStores();
  const [mine, theirs] = [folderOf({ "one.yaml": agent("1") }), folderOf({ "one.yaml": agent("1") })];
  const here = await open({ store: one, source: mine });
  const dataDir = tempDir();
  const there = await open({ store: other, source: theirs, dataDir });
  folderOf({ "one.yaml": agent("2") }, mine);
  await expect.poll(() => there.file()).toBe(agent("2"));
  await there.folder.close();
  // As before, and in a new place.
  for (const place of [dataDir, tempDir()]) {
    const again = await open({ store: other, source: theirs, dataDir: place });
    expect(again.file()).toBe(agent("2"));
    await again.folder.look();
    expect(again.file()).toBe(agent("2"));
    await again.folder.close();
  }
  // Now it comes to the other one too.
  folderOf({ "one.yaml": agent("2") }, theirs);
  await open({ store: other, source: theirs, dataDir });
  expect(await one.documents.versionsUnder("agents/")).toEqual(new Map([["agents/one.yaml", 2]]));
  await here.folder.look();
  expect(here.file()).toBe(agent("2"));
});

test("who goes back to an older folder, one instance after the other, has the older files", async () => {
  const { one, other } = await twoStores();
  const [mine, theirs] = [folderOf({ "one.yaml": agent("1") }), folderOf({ "one.yaml": agent("1") })];
  const here = await open({ store: one, source: mine });
  const there = await open({ store: other, source: theirs });
  for (const text of ["2", "1"]) {
    folderOf({ "one.yaml": agent(text) }, mine);
    await expect.poll(() => there.file()).toBe(agent(text));
    folderOf({ "one.yaml": agent(text) }, theirs);
    await there.folder.look();
    await here.folder.look();
    expect([here.file(), there.file()]).toEqual([agent(text), agent(text)]);
  }
});

test("what somebody has changed or deleted goes before the folder, and the log says so", async () => {
  const { one } = await twoStores();
  const source = folderOf({ "one.yaml": agent("1"), "two.yaml": agent("2") });
  const { folder, file, warn } = await open({ store: one, source });
  await folder.change("one.yaml", { "one.yaml": agent("by somebody") });
  await folder.change("two.yaml", undefined);
  folderOf({ "one.yaml": agent("1 again"), "two.yaml": agent("2 again") }, source);
  await folder.look();
  expect([file(), file("two.yaml")]).toEqual([agent("by somebody"), undefined]);
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    "agents/one.yaml stays as somebody has changed it, and not as the folder has it now.",
    "agents/two.yaml stays as somebody has changed it, and not as the folder has it now.",
  ]);
});

test("what goes from the folder goes, unless all of it does, or somebody has changed it", async () => {
  const { one } = await twoStores();
  const files = { "one.yaml": agent("1"), "two.yaml": agent("2"), "three.yaml": agent("3") };
  const source = folderOf(files);
  const dataDir = tempDir();
  const { folder, names } = await open({ store: one, source, dataDir });
  await folder.change("three.yaml", { "three.yaml": agent("by somebody") });
  for (const name of ["one.yaml", "three.yaml"]) rmSync(join(source, name));
  await folder.look();
  expect(names()).toEqual(["three.yaml", "two.yaml"]);
  rmSync(source, { recursive: true });
  await folder.look();
  expect(names()).toEqual(["three.yaml", "two.yaml"]);
  await folder.close();
  folderOf(files, source);
  const again = await open({ store: one, source, dataDir });
  expect(again.names()).toEqual(["one.yaml", "three.yaml", "two.yaml"]);
});

test("a folder as Kubernetes mounts it, whose files are links that another link moves on, is followed", async () => {
  const { one } = await twoStores();
  const source = folderOf({ "..1/one.yaml": agent("1"), "..2/one.yaml": agent("2") });
  symlinkSync("..1", join(source, "..data"));
  symlinkSync("..data/one.yaml", join(source, "one.yaml"));
  const { folder, file, names } = await open({ store: one, source });
  expect([names(), file()]).toEqual([["one.yaml"], agent("1")]);
  symlinkSync("..2", join(source, "..next"));
  renameSync(join(source, "..next"), join(source, "..data"));
  await folder.look();
  expect(file()).toBe(agent("2"));
});

test("a skill comes with all its texts; what is none, is hidden or leads elsewhere does not", async () => {
  const { one, other } = await twoStores();
  const skill = "---\nname: report\ndescription: Writes reports.\n---\nBegin.";
  const source = folderOf({
    ...{ "report/SKILL.md": skill, "report/references/tone.md": "短く", "report/.secret": "key" },
    ...{ "notes.md": "beside", ".git/HEAD": "x" },
  });
  writeFileSync(join(source, "report/picture.png"), Buffer.from([0xff, 0xd8, 0]));
  await open({ store: one, source, name: "skills" });
  const there = await open({ store: other, source: nowhere, name: "skills" });
  expect(there.names()).toEqual(["report"]);
  expect(there.file("report/SKILL.md")).toBe(skill);
  expect(there.file("report/references/tone.md")).toBe("短く");
  expect(readdirSync(join(there.folder.dir, "report")).toSorted()).toEqual(["SKILL.md", "references"]);
  rmSync(join(source, "report/references"), { recursive: true });
  await expect.poll(() => there.file("report/references/tone.md")).toBeUndefined();
  expect(there.file("report/SKILL.md")).toBe(skill);
});

test("a document of a newer version, or one that names a file elsewhere, changes no file and is not written over", async () => {
  const { one } = await twoStores();
  const source = folderOf({ "one.yaml": agent("1") });
  const { folder, file, names, warn } = await open({ store: one, source });
  await one.documents.write("agents/one.yaml", '{"form":2}', 1);
  await folder.look();
  expect(file()).toBe(agent("1"));
  expect(warn).toHaveBeenCalledWith(
    expect.stringMatching(/^agents\/one\.yaml cannot be read\. If a newer/),
    expect.anything(),
  );
  expect(await folder.change("one.yaml", { "one.yaml": agent("2") })).toBe(false);
  folderOf({ "one.yaml": agent("2") }, source);
  await folder.look();
  expect(await one.documents.read("agents/one.yaml")).toEqual({ text: '{"form":2}', version: 2 });
  const texts = {
    "../../out.yaml": "a",
    "bad.yaml/../../../out.yaml": "b",
    "other.yaml": "c",
    "bad.yaml": "d",
  };
  await one.documents.write("agents/bad.yaml", JSON.stringify({ texts, taken: [] }), undefined);
  await one.documents.write("agents/..", JSON.stringify({ texts: { "../x": "a" }, taken: [] }), undefined);
  await folder.look();
  expect(names()).toEqual(["bad.yaml", "one.yaml"]);
  expect(readdirSync(join(folder.dir, "..")).toSorted()).toEqual(["agents", "agents.json"]);
  expect(readdirSync(join(folder.dir, "..", ".."))).toEqual(["shared"]);
});

test("changes at two instances at once are made one after the other", async () => {
  const { one, other } = await twoStores();
  const [here, there] = [
    await open({ store: one, source: nowhere }),
    await open({ store: other, source: nowhere }),
  ];
  const add = ({ folder, file }: typeof here, line: string) =>
    folder.inTurn(async () => {
      const before = file() ?? "";
      return folder.change("one.yaml", { "one.yaml": `${before}${line}` });
    });
  const done = await Promise.all([add(here, "a"), add(there, "b"), add(here, "c")]);
  // Within one instance its requests take turns before they come here.
  expect(done.filter((each) => each?.result)).not.toHaveLength(0);
  await Promise.all([here.folder.look(), there.folder.look()]);
  expect(here.file()).toBe(there.file());
  expect(here.file()).toHaveLength(done.filter((each) => each?.result).length);
});
