import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { callApi, withApplication } from "@/app/api/testing/call-api";
import { startPool } from "@/lib/mcp/testing/start-pool";
import { fixture } from "@/lib/mcp/testing/test-pool";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { brokenBytes, brokenFiles, hidingCommands } from "./config";

withApplication({});

const folder = mkdtempSync(join(tmpdir(), "meguri-corpus-"));
afterAll(() => rmSync(folder, { recursive: true }));
const marker = join(folder, "ran");

test("whatever an editor leaves of the file, the servers go on with what was read before, and nothing is written", async () => {
  const { pool, configPath, ready, until } = await startPool({ steady: fixture("plain") });
  const { pid } = await ready("steady");
  const files = [
    ...brokenFiles.map(([what, text, fault]) => ({ what, bytes: Buffer.from(text), fault })),
    ...brokenBytes.map((broken) => ({ what: broken.fault, ...broken })),
  ];
  for (const { what, bytes, fault } of files) {
    writeFileSync(configPath, bytes);
    const isTold = () =>
      `${pool.list().fileError?.line ?? null}: ${pool.list().fileError?.message}` === fault;
    await until(isTold, what);
    expect(pool.server("steady"), what).toMatchObject({ status: "ready", pid });
    await expect(pool.file.update("steady", fixture("plain", "other")), what).rejects.toThrow();
  }
  expect(pool.list().items).toHaveLength(1);
}, 60_000);

test.each(hidingCommands(marker).map((command, at) => ({ ...command, name: `hiding-${at}` })))(
  "$name: a command that hides what it runs is shown whole, previewed, kept, restarted and called, and not run",
  async ({ name, argv, shown = argv }) => {
    const [command = "", ...args] = argv;
    const config = { command, args, perInstance: true };
    const pasted = { text: JSON.stringify({ mcpServers: { [name]: config } }) };
    const preview = await callApi("POST", "/api/mcp/servers?preview=true", pasted);
    expect([preview.status, (await callApi("GET", `/api/mcp/servers/${name}`)).status]).toEqual([200, 404]);
    expect((await callApi("POST", "/api/mcp/servers", { name, config })).status).toBe(201);
    const server = async (): Promise<McpServerItem> =>
      (await callApi("GET", `/api/mcp/servers/${name}`)).json();
    expect(await server()).toMatchObject({
      ...{ status: "needs_approval", tools: [], pid: null },
      approvalForm: { argv: shown },
    });
    await callApi("POST", `/api/mcp/servers/${name}/restart`, {});
    await callApi("POST", `/api/mcp/servers/${name}/tools/any/call`, { args: {} });
    const guessed = await callApi("POST", `/api/mcp/servers/${name}/approve`, { hash: "guessed" });
    expect(guessed.status).toBe(409);
    expect(await server()).toMatchObject({ status: "needs_approval", pid: null });
    expect(existsSync(marker)).toBe(false);
  },
);
