import { expect, test } from "vitest";
import { BudgetUsage } from "@/lib/agent/budget-usage";
import { adder, asks, call, collect, scriptedProvider, stop } from "@/lib/agent/testing/scripted";
import { executeAgentStream } from "@/lib/agent/workflows/execute-agent-stream";
import type { AgentDefinition } from "./agent-definition";
import { buildAgent } from "./build-agent";

test("an agent that asks again and again for a tool it may not use costs three turns", async () => {
  const definition: AgentDefinition = {
    name: "reader",
    agent: { type: "llm", name: "reader", instruction: "Read.", tools: ["mcp:files:*"] },
  } as AgentDefinition;
  const budgetUsage = new BudgetUsage();
  const originOf = (name: string) => (name === "demo__add" ? { server: "files", tool: "read" } : undefined);
  const agent = buildAgent(definition, { originOf, budgetUsage });
  const turn = (id: string) => [call(id, "mail__send"), stop("tool_use")];
  const provider = scriptedProvider(...["1", "2", "3", "4"].map(turn));
  const { signal } = new AbortController();
  const stream = executeAgentStream(agent, { provider, tools: adder, history: asks, signal });
  const { log, result } = await collect(stream, (chunk) => budgetUsage.add(chunk));
  expect(provider.turns).toHaveLength(3);
  expect(log.filter(({ type }) => type === "tool_result")).toMatchObject([
    { result: { status: "error" } },
    { result: { status: "error" } },
  ]);
  expect(result.stopReason).toBe("budget");
});
