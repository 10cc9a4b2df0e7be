import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Command, interrupt, MemorySaver } from "@langchain/langgraph";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";

const system = "You are a model in a benchmark.";

/** LangGraph's prebuilt ReAct agent. */
export async function open({ openai: baseURL, mcp }) {
  const transport = mcp.url ? { transport: "http", url: mcp.url } : { transport: "stdio", ...mcp };
  const client = new MultiServerMCPClient({ mcpServers: { bench: transport } });
  const tools = await client.getTools();
  const llm = new ChatOpenAI({
    model: "test-model",
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL },
  });
  const agent = createReactAgent({ llm, tools, prompt: system });

  return {
    run: (task) => run(agent, { messages: messagesOf(task) }, task),
    async approve(task) {
      const asks = tools.map((tool) => {
        const careful = Object.create(tool);
        careful.invoke = (...args) => (interrupt("approve?") === "yes" ? tool.invoke(...args) : "Denied.");
        return careful;
      });
      const careful = createReactAgent({
        llm: llm.bindTools(tools),
        tools: new ToolNode(asks),
        prompt: system,
        checkpointer: new MemorySaver(),
      });
      const thread = { configurable: { thread_id: crypto.randomUUID() } };
      const asked = await run(careful, { messages: messagesOf(task) }, task, thread);
      return { asked, resumed: await run(careful, new Command({ resume: "yes" }), task, thread) };
    },
  };
}

async function run(agent, input, { maxTurns, signal }, options = {}) {
  const outcome = { text: "", toolResults: 0, pieces: 0 };
  const stream = await agent.stream(input, {
    ...options,
    streamMode: ["messages", "updates"],
    recursionLimit: 2 * maxTurns,
    ...(signal && { signal }),
  });
  for await (const [mode, value] of stream) {
    if (mode === "messages") readPiece(value[0], outcome);
    else readUpdate(value, outcome);
  }
  return outcome;
}

function readPiece(message, outcome) {
  if (message.getType() !== "ai" || typeof message.content !== "string" || !message.content) return;
  outcome.text += message.content;
  outcome.pieces++;
}

function readUpdate({ agent, tools, __interrupt__ }, outcome) {
  for (const message of agent?.messages ?? []) {
    outcome.ended = message.response_metadata?.finish_reason;
    if (message.tool_calls?.length > 0) outcome.text = "";
  }
  outcome.toolResults += tools?.messages?.length ?? 0;
  if (__interrupt__) outcome.ended = "interrupt";
}

const messagesOf = ({ question, history, pending }) => [
  ...history.flatMap(({ user, model }) => [new HumanMessage(user), new AIMessage(model)]),
  new HumanMessage(question),
  ...(pending
    ? [
        new AIMessage({
          content: "",
          tool_calls: [{ id: "call_0", name: "echo", args: { text: "pending" }, type: "tool_call" }],
        }),
      ]
    : []),
];
