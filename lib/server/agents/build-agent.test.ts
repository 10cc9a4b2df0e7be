import { expect, test } from "vitest";
import { BudgetUsage } from "@/lib/agent/budget-usage";
import type { ToolBox } from "@/lib/agent/ports";
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

test("a server that is called like us gives an agent no tool that it may not use", async () => {
  const name = "meguri__send_0123456789ab";
  const sent: string[] = [];
  const tools: ToolBox = {
    list: () => [{ name, description: "", inputSchema: { type: "object" } }],
    call: async ({ id }) => {
      sent.push(id);
      return { id, status: "ok", content: [] };
    },
  };
  const agent = buildAgent(
    { name: "a", agent: { type: "llm", name: "a", instruction: "Go.", tools: ["mcp:files:*"] } },
    { originOf: () => ({ server: "meguri", tool: "send" }), budgetUsage: new BudgetUsage() },
  );
  const provider = scriptedProvider([call("1", name), stop("tool_use")], [stop("end_turn")]);
  const { signal } = new AbortController();
  const { log } = await collect(executeAgentStream(agent, { provider, tools, history: asks, signal }));
  expect(log.filter(({ type }) => type === "tool_result")).toMatchObject([{ result: { status: "error" } }]);
  expect(sent).toEqual([]);
});
