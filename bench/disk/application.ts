import { serveParent } from "@/bench/support/child";
import { chat } from "@/lib/server/conversations/chat";
import { getDeps } from "@/lib/server/entry/deps";

/** What a parent asks for: so many answers, each in a conversation of its own, some at once. */
export interface Wanted {
  answers: number;
  atOnce: number;
}

// The application without its HTTP: what its process opens at the start, and the use case behind `POST /api/chat`.
const [dataDir = "", config = "", model = ""] = process.argv.slice(2);
Object.assign(process.env, {
  ...{ DATA_DIR: dataDir, MCP_CONFIG: config, OPENAI_BASE_URL: model },
  ...{ TOOL_APPROVAL: "allow", LOG_LEVEL: "error" },
});
const deps = await getDeps();
serveParent(true, async ({ answers, atOnce }: Wanted) => {
  let left = answers;
  const ask = async () => {
    while (left-- > 0) {
      const question = { model: "openai/test-model", message: { text: "Tell me more." } };
      const row = await chat(deps, "bench", question);
      await deps.runs.get(row.id)?.ended;
      const ended = await deps.store.runs.get("bench", row.id);
      if (ended?.status !== "completed") throw new Error(`An answer is ${ended?.status}.`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, ask));
  return null;
});
