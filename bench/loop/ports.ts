import { Agent } from "undici";
import type { ToolBox } from "@/lib/agent/ports";
import { leanFetch } from "@/lib/mcp/transport/lean-fetch";
import { connect, textOf } from "./connect";
import { messagesOf, runLoop } from "./run-loop";
import type { Addresses, Contestant } from "./tasks";
import { wireProvider } from "./wire-provider";

/** The loop on its two ports alone: a provider that speaks the wire itself, and a tool box that only calls. */
export async function openPorts({ openai, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp, leanFetch(new Agent()));
  const { tools: listed } = await client.listTools();
  const specs = listed.map(({ name, description = "", inputSchema }) => ({ name, description, inputSchema }));
  const tools: ToolBox = {
    list: () => specs,
    async call({ id, name, args }, { signal, emit }) {
      await emit({ type: "tool_start", id, args });
      const { content } = await client.callTool({ name, arguments: args }, { signal });
      return { id, status: "ok", content: [{ type: "text", text: textOf(content) }] };
    },
  };
  const provider = wireProvider(`${openai}/chat/completions`);
  return {
    run: async (task) => (await runLoop(task, { provider, tools }, messagesOf(task, "echo"))).outcome,
  };
}
