import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { importServers } from "@/lib/mcp/config/import";
import { type ApprovalMemory, Entries } from "./entries";

const ref = (name: string) => `\${secret:${name}}`;

const noApprovals: ApprovalMemory = {
  all: async () => new Map(),
  set: async () => {},
  delete: async () => {},
};

/** The entries of a real file. */
async function open(document: object, approvals: ApprovalMemory = noApprovals): Promise<Entries> {
  const folder = await mkdtemp(join(tmpdir(), "mcp-entries-"));
  const configPath = join(folder, "mcp.json");
  await writeFile(configPath, JSON.stringify(document));
  const entries = new Entries({ configPath, root: folder, approvals, trustFile: false }, () => {});
  await entries.start();
  onTestFinished(async () => {
    entries.stop();
    await rm(folder, { recursive: true });
  });
  return entries;
}

test("an export holds no secret of an entry nor of whatever else stands in the file, and is imported again", async () => {
  const crm = {
    url: "https://me:hunter2@crm.example/mcp",
    headers: { Authorization: "Bearer hunter2" },
    oauth: { clientId: "me", clientSecret: `hunter2\${X}` },
    apiKey: "hunter2",
  };
  const files = {
    command: "npx",
    args: ["-y", "mcp-files", "--password", "hunter2", "./data"],
    env: { PASSWORD: "hunter2", MEMORY: `\${dataFolder}/memory.json` },
    timeout: 60_000,
  };
  const entries = await open({
    theme: "dark",
    primaryApiKey: "hunter2",
    mcpServers: { crm, files },
    projects: [{ env: { ODD: "a hunter2" } }],
  });
  const exported = entries.export();
  expect(exported).toEqual({
    theme: "dark",
    primaryApiKey: ref("primaryApiKey"),
    mcpServers: {
      crm: {
        url: `https://${ref("url")}@crm.example/mcp`,
        headers: { Authorization: `Bearer ${ref("Authorization")}` },
        oauth: { clientId: "me", clientSecret: ref("clientSecret") },
        apiKey: ref("apiKey"),
      },
      files: {
        ...files,
        args: ["-y", "mcp-files", "--password", ref("password"), "./data"],
        env: { PASSWORD: ref("PASSWORD"), MEMORY: `\${dataFolder}/memory.json` },
      },
    },
    projects: [{ env: { ODD: ref("ODD") } }],
  });
  const { servers } = importServers(JSON.stringify(exported), "clear");
  expect(Object.fromEntries(servers.map(({ name, config }) => [name, config]))).toEqual(exported.mcpServers);
  expect(servers.map(({ secrets }) => secrets.map(({ name, value }) => [name, value]))).toEqual([
    [
      ["url", undefined],
      ["Authorization", undefined],
      ["clientSecret", undefined],
      ["apiKey", undefined],
    ],
    [
      ["password", undefined],
      ["PASSWORD", undefined],
    ],
  ]);
});

/** Approvals of which each reading and each deletion waits until it is let go. */
function slowApprovals() {
  const stored = new Map<string, string>();
  const gates = { read: Promise.withResolvers<void>(), delete: Promise.withResolvers<void>() };
  const approvals: ApprovalMemory = {
    all: async () => {
      const found = new Map(stored);
      await gates.read.promise;
      return found;
    },
    set: async (name, hash) => void stored.set(name, hash),
    delete: async (name) => {
      await gates.delete.promise;
      stored.delete(name);
    },
  };
  return { approvals, stored, gates };
}

test("what another instance approves is taken up, and not what was read before a change of ours", async () => {
  const { approvals, stored, gates } = slowApprovals();
  gates.read.resolve();
  const config = { command: "a" };
  const entries = await open({ mcpServers: { a: config } }, approvals);
  await entries.approve("a", config);
  await entries.readApprovals();
  expect(entries.isApproved("a", config)).toBe(true);

  gates.read = Promise.withResolvers();
  const late = entries.readApprovals();
  const forgetting = entries.forget("a");
  gates.read.resolve();
  await late;
  expect(entries.isApproved("a", config)).toBe(false);
  // A reading that begins while the deletion is under way is as old.
  await entries.readApprovals();
  expect(entries.isApproved("a", config)).toBe(false);
  gates.delete.resolve();
  await forgetting;

  await entries.approve("a", config);
  const [name = "", hash = ""] = [...stored][0] ?? [];
  await entries.forget("a");
  stored.set(name, `${hash} private a.example:443`);
  await entries.readApprovals();
  expect(entries.isApproved("a", config)).toBe(true);
  expect(entries.reach.text("a")).toBe(" private a.example:443");
  stored.clear();
  await entries.readApprovals();
  expect([entries.isApproved("a", config), entries.reach.text("a")]).toEqual([false, ""]);
});
