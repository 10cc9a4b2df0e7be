import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentFileItem, AgentList } from "@/lib/protocol/agents";
import type { SkillList } from "@/lib/protocol/skills";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { PostgresServer } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import { startCluster, startDatabaseServer } from "../support/cluster";
import { endOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

let server: PostgresServer;
test.beforeAll(async () => {
  server = await startDatabaseServer();
});
test.afterAll(() => server.stop());

const agent = (name: string, instruction: string) =>
  `name: ${name}\nagent:\n  type: llm\n  name: writer\n  tools: none\n  instruction: ${instruction}\n`;
const skill = (description: string) => `---\nname: report\ndescription: ${description}\n---\nBegin.`;

test("files of agents and skills are the same at two instances, whoever changes them", async ({
  start,
}, info) => {
  const [agents, skills] = [info.outputPath("agents"), info.outputPath("skills")];
  mkdirSync(agents, { recursive: true });
  mkdirSync(join(skills, "report"), { recursive: true });
  writeFileSync(join(agents, "first.yaml"), agent("first", "Be short."));
  writeFileSync(join(skills, "report", "SKILL.md"), skill("Writes reports."));
  const model = await startOpenAiServer(() => [say("Here.")]);
  const cluster = await startCluster(server, start, {
    ...{ name: "files", mcpConfig: { mcpServers: {} } },
    env: {
      ...{ OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model" },
      ...{ AGENTS_DIR: agents, SKILLS_DIR: skills },
    },
  });
  try {
    const [first, last] = cluster.instances;
    if (!first || !last) throw new Error("Two were started.");
    const [here, there] = [apiOf(cluster.at(first)), apiOf(cluster.at(last))];
    const listed = async ({ get }: typeof here) =>
      (await get<AgentList>("/api/agents")).items.map(({ id }) => id).toSorted();
    const fileOf = ({ get }: typeof here, id: string) => get<AgentFileItem>(`/api/agents/${id}/file`);
    const save = ({ send }: typeof here, id: string, text: string, version: string | null) =>
      send("PUT", `/api/agents/${id}/file`, { text, version });
    for (const api of [here, there]) expect(await listed(api)).toEqual(["first"]);

    // Made at one, used, changed and deleted at the other.
    expect((await save(here, "second", agent("second", "Be long."), null)).status).toBe(200);
    await expect.poll(() => listed(there), { timeout: 3_000 }).toEqual(["first", "second"]);
    const asked = await there.ask("Hello", { agent: "second" });
    await asked.closed;
    expect(endOf(asked.events)).toMatchObject({ status: "completed", finalText: "Here." });
    const { version } = await fileOf(here, "second");
    expect((await fileOf(there, "second")).version).toBe(version);
    expect((await save(there, "second", agent("second", "Be slow."), version)).status).toBe(200);
    const late = await save(here, "second", agent("second", "Be quick."), version);
    expect([late.status, (await late.json()).error.code]).toEqual([409, "file_changed"]);
    await expect
      .poll(async () => (await fileOf(here, "second")).text, { timeout: 3_000 })
      .toContain("Be slow.");
    const used = `name: third\nagent:\n  type: use\n  agent: second\n`;
    expect((await save(here, "third", used, null)).status).toBe(200);
    const refused = await there.send("DELETE", "/api/agents/second/file");
    expect([refused.status, (await refused.json()).error.code]).toEqual([409, "agent_used"]);
    for (const id of ["third", "second"])
      expect((await there.send("DELETE", `/api/agents/${id}/file`)).status).toBe(200);
    await expect.poll(() => listed(here), { timeout: 3_000 }).toEqual(["first"]);

    // The same made at both at once is there once.
    const both = await Promise.all(
      [here, there].map((api, at) => save(api, "same", agent("same", `By ${at}.`), null)),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);

    // What changes in the folders that they were given is in force at both, unless somebody has changed it here.
    const same = await fileOf(here, "same");
    await expect.poll(async () => (await fileOf(there, "same")).text, { timeout: 3_000 }).toBe(same.text);
    writeFileSync(join(agents, "same.yaml"), agent("same", "By the folder."));
    writeFileSync(join(agents, "first.yaml"), agent("first", "Be shorter."));
    writeFileSync(join(skills, "report", "SKILL.md"), skill("Writes other reports."));
    for (const api of [here, there]) {
      await expect.poll(async () => (await fileOf(api, "first")).text).toContain("Be shorter.");
      const described = async () =>
        (await api.get<SkillList>("/api/skills")).items.map((item) => item.description);
      await expect.poll(described).toEqual(["Writes other reports."]);
      expect((await fileOf(api, "same")).text).toBe(same.text);
    }
    await first.restart();
    expect(await listed(here)).toEqual(["first", "same"]);
    expect((await fileOf(here, "same")).text).toBe(same.text);
  } finally {
    await cluster.close();
    await model.close();
  }
});
