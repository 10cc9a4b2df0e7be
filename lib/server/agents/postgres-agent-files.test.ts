import { expect, onTestFinished, test } from "vitest";
import { KeyedMutex } from "@/lib/server/keyed-mutex";
import { SharedFolder } from "@/lib/server/shared-folder";
import type { Store } from "@/lib/store/ports";
import { openSharedStores, tempDir } from "@/lib/store/testing/temp-store";
import { deleteAgentFile, putAgentFile, showAgentFile } from "./agent-files";
import { readAgentTexts } from "./agent-folder";
import { listAgents } from "./agents";

const providers = {
  provider: () => {
    throw new Error("No model is named.");
  },
};

async function open(store: Store) {
  const agentFiles = await SharedFolder.open({
    ...{ name: "agents", source: "/nowhere", dataDir: tempDir(), warn: () => {} },
    ...{ documents: store.documents, leases: store.leases },
    read: (dir) => readAgentTexts(dir, () => {}),
  });
  onTestFinished(() => agentFiles.close());
  return { env: { AGENTS_DIR: agentFiles.dir }, providers, turns: new KeyedMutex(), agentFiles };
}

async function openTwo() {
  const [one, other] = await openSharedStores(2);
  if (!one || !other) throw new Error("Two were opened.");
  return [await open(one), await open(other)] as const;
}

const plain = (name: string) =>
  `name: ${name}\nagent:\n  type: llm\n  name: a\n  tools: none\n  instruction: Be short.\n`;
const using = (name: string, agent: string) => `name: ${name}\nagent:\n  type: use\n  agent: ${agent}\n`;
const outcome = (work: Promise<unknown>) =>
  work.then(
    () => "done",
    (cause) => cause.code,
  );

test("what is saved at one instance is checked against what another one has just saved or deleted", async () => {
  const [here, there] = await openTwo();
  for (let time = 0; time < 5; time++) {
    await putAgentFile(here, "used", { text: plain("used"), version: null }, false);
    await there.agentFiles.look();
    const outcomes = await Promise.all([
      outcome(deleteAgentFile(here, "used", undefined)),
      outcome(putAgentFile(there, "user", { text: using("user", "used"), version: null }, false)),
    ]);
    // Whoever comes first: no agent uses one that is not there.
    expect([
      ["done", "agent_broken"],
      ["agent_used", "done"],
    ]).toContainEqual(outcomes);
    expect((await listAgents(here)).errors).toEqual([]);
    for (const [id, at] of [
      ["user", there],
      ["used", here],
    ] as const)
      await outcome(deleteAgentFile(at, id, undefined));
  }
});

test("of two who save the same file at once the second is told that it has changed", async () => {
  const [here, there] = await openTwo();
  const { version } = await putAgentFile(here, "one", { text: plain("one"), version: null }, false);
  const save = (at: typeof here, words: string) =>
    outcome(putAgentFile(at, "one", { text: plain("one").replace("short", words), version }, false));
  const outcomes = await Promise.all([save(here, "long"), save(there, "slow")]);
  expect(outcomes.toSorted()).toEqual(["done", "file_changed"]);
  const saved = plain("one").replace("short", outcomes[0] === "done" ? "long" : "slow");
  for (const at of [here, there])
    await expect.poll(async () => (await showAgentFile(at, "one")).text).toBe(saved);
});
