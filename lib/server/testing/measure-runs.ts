// The application without its HTTP, in a process of its own: `measure-runs.ts <folder> <model's URL> <servers as JSON> <questions…>`
// prints a line for each question but the first, which is there to load all that a run needs: how much more memory the process
// has than before it, in MB, at most while it ran and once it had ended and its log was packed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { chat } from "@/lib/server/conversations/chat";
import { getDeps } from "@/lib/server/entry/deps";

const [folder = "", model = "", servers = "{}", ...questions] = process.argv.slice(2);
const userId = "local";
const config = join(folder, "mcp-servers.json");
writeFileSync(config, JSON.stringify({ mcpServers: JSON.parse(servers) }));
Object.assign(process.env, {
  ...{ DATA_DIR: join(folder, "data"), MCP_CONFIG: config, OPENAI_BASE_URL: model },
  ...{ TOOL_APPROVAL: "allow", LOG_LEVEL: "error" },
});
const deps = await getDeps();
await deps.store.settings.set(userId, "titles", "words");
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isReady = (name: string) => deps.pool.server(name)?.status === "ready";
while (!Object.keys(JSON.parse(servers)).every(isReady)) await pause(20);

/** How it ended, and nothing that would keep what it has received. */
async function ask(text: string): Promise<string | undefined> {
  const options = { maxIterations: 50 };
  const { id } = await chat(deps, userId, { message: { text }, model: "openai/test-model", options });
  await deps.runs.get(id)?.ended;
  const row = await deps.store.runs.get(userId, id);
  return row?.result?.stopReason;
}

const memory = () => process.memoryUsage().rss / 1024 / 1024;

/** A log is packed some seconds after the end of its run; meanwhile that takes memory of its own. */
async function packed(): Promise<void> {
  const log = new DatabaseSync(join(folder, "data", "run-log.db"), { readOnly: true });
  const left = log.prepare("SELECT count(*) AS rows FROM event_range WHERE packed IS NULL");
  while (left.get()?.rows !== 0) await pause(50);
  log.close();
}

/** Resident once all that can be freed is. */
async function settled(): Promise<number> {
  await packed();
  for (let again = 0; again < 5; again++) {
    globalThis.gc?.();
    await pause(100);
  }
  return memory();
}

for (const [at, question] of questions.entries()) {
  const before = await settled();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 5);
  const stopReason = await ask(question);
  const after = await settled();
  clearInterval(watch);
  if (at > 0) console.log(JSON.stringify({ stopReason, peak: peak - before, after: after - before }));
}
await deps.pool.close();
await deps.store.close();
process.exit(0);
