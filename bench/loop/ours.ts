import { openPool } from "@/bench/support/open-pool";
import { type Answered, openRuns } from "@/bench/support/open-runs";
import { InFlightCalls } from "@/lib/mcp/calls/in-flight-calls";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { messagesOf, runLoop } from "./run-loop";
import type { Addresses, Contestant, Task } from "./tasks";

/** The loop with its adapter, pool and every wrapper, put together by `lib/server/loop`; without log and store. */
export async function openOurs({ openai, mcp }: Addresses): Promise<Contestant> {
  const pool = await openPool({ bench: mcp });
  const open = openRuns(pool, openai);
  const used = callsOfAll(pool);
  const messages = (task: Task) => messagesOf(task, "bench__echo");
  return {
    async run(task) {
      const history = messages(task);
      // Without its log: what that costs is in the row with the store, where each chunk waits until it is kept.
      const { provider, tools, sent, timeUsedMs } = await open({ history: [used, ...history] });
      return (await runLoop(task, { provider, tools, sent, timeUsedMs }, history)).outcome;
    },
    async approve(task) {
      const history = messages(task);
      const waiting = await open({ history, asks: true });
      const answers: Answered[] = [];
      const { outcome: asked, history: soFar } = await runLoop(
        task,
        {
          ...waiting,
          write: (chunk) => waiting.write(chunk).then(() => void answers.push(...approvalOf(chunk))),
        },
        history,
      );
      const run = await open({ history: soFar, asks: true, continues: { run: waiting, answers } });
      const { outcome: resumed } = await runLoop(task, run, soFar);
      return { asked, resumed };
    },
  };
}

function approvalOf(chunk: Chunk): Answered[] {
  if (chunk.type !== "approval_request") return [];
  const { requestId, call } = chunk;
  return [{ type: "answer", requestId, id: call.id, answer: { decision: "approve" } }];
}

/** Of a conversation that has called every tool: all are described to the model, as other loops do it, and none is searched for. */
function callsOfAll(pool: McpPool): ChatMessage {
  const tools = pool.toolBox({ open: new Map(), inFlight: new InFlightCalls() }).list();
  const parts = tools.map(({ name }) => ({
    type: "tool_call" as const,
    id: `before_${name}` as ToolCallId,
    name,
    args: {},
  }));
  return { role: "assistant", parts };
}
