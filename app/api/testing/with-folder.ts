import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Step } from "@/lib/providers/testing/steps";
import { withApplication } from "./call-api";

/** The application round the tests of a file, with a model that takes a script turn by turn, and a folder that its tools work in. */
export async function withFolder() {
  const folder = await mkdtemp(join(tmpdir(), "meguri-folder-"));
  const script: { turns: Step[][] } = { turns: [] };
  const model = await startOpenAiServer(() => script.turns.shift() ?? []);
  afterAll(async () => {
    await model.close();
    await rm(folder, { recursive: true });
  });
  const args = ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", folder];
  withApplication({ filesystem: { command: "node", args } }, { OPENAI_BASE_URL: model.url });
  return { folder, script, model };
}
