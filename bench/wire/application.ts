import { serveParent } from "@/bench/support/child";
import { chat } from "@/lib/server/conversations/chat";
import { getDeps } from "@/lib/server/entry/deps";

/** What a parent asks for: so many answers at once. The answer is the CPU time of one, in ms. */
export interface Wanted {
  answers: number;
  recordWire: boolean;
}

/** As long as the list of 30 tools. */
const question = "What a model is sent besides. ".repeat(1_000);

// The application without its HTTP: what its process opens at the start, and the use case behind `POST /api/chat`.
const [dataDir = "", config = "", model = ""] = process.argv.slice(2);
Object.assign(process.env, {
  ...{ DATA_DIR: dataDir, MCP_CONFIG: config, OPENAI_BASE_URL: model },
  // A key, as what it costs to remove it counts too.
  ...{ TOOL_APPROVAL: "allow", LOG_LEVEL: "error", OPENAI_API_KEY: "sk-bench-0123456789abcdef" },
});
const deps = await getDeps();
await deps.store.settings.set("bench", "titles", "words");
serveParent(true, async ({ answers, recordWire }: Wanted) => {
  const before = process.cpuUsage();
  const ask = async () => {
    const row = await chat(deps, "bench", {
      ...{ model: "openai/test-model", message: { text: question }, options: { recordWire } },
    });
    await deps.runs.get(row.id)?.ended;
    const ended = await deps.store.runs.get("bench", row.id);
    if (ended?.status !== "completed") throw new Error(`An answer is ${ended?.status}.`);
  };
  await Promise.all(Array.from({ length: answers }, ask));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / answers;
});
