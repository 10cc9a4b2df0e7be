import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Agent, BeforeToolCallEvent, McpClient } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";

const system = "You are a model in a benchmark.";

/** Strands: an agent of its own for each conversation, one MCP client for all. */
export async function open({ openai: baseURL, mcp }) {
  const transport = mcp.url
    ? new StreamableHTTPClientTransport(new URL(mcp.url))
    : new StdioClientTransport(mcp);
  const client = new McpClient({ transport });
  const tools = await client.listTools();
  const model = new OpenAIModel({
    api: "chat",
    modelId: "test-model",
    apiKey: "none",
    clientConfig: { baseURL, maxRetries: 0 },
  });
  const agentFor = (task) =>
    new Agent({ model, tools, systemPrompt: system, messages: messagesOf(task), printer: false });

  return {
    run: (task) => run(agentFor(task), task, task.question),
    async approve(task) {
      const agent = agentFor(task);
      agent.addHook(BeforeToolCallEvent, (event) => {
        if (event.interrupt({ name: "approval" }) !== "yes") event.cancel = "Denied.";
      });
      const asked = await run(agent, task, task.question);
      const answers = asked.interrupts.map(({ id }) => ({
        interruptResponse: { interruptId: id, response: "yes" },
      }));
      return { asked, resumed: await run(agent, task, answers) };
    },
  };
}

async function run(agent, { maxTurns, signal, pending }, input) {
  const outcome = { text: "", toolResults: 0, pieces: 0 };
  const stream = agent.stream(pending ? [] : input, {
    limits: { turns: maxTurns },
    ...(signal && { cancelSignal: signal }),
  });
  while (true) {
    const { value: event, done } = await stream.next();
    if (done) return { ...outcome, ended: event.stopReason, interrupts: event.interrupts ?? [] };
    if (event.type === "afterToolCallEvent") outcome.toolResults++;
    else if (event.type === "modelStreamUpdateEvent") read(event.event, outcome);
  }
}

function read(event, outcome) {
  if (event.type === "modelMessageStartEvent") outcome.text = "";
  if (event.type !== "modelContentBlockDeltaEvent" || event.delta.type !== "textDelta") return;
  outcome.text += event.delta.text;
  outcome.pieces++;
}

const messagesOf = ({ question, history, pending }) => [
  ...history.flatMap(({ user, model }) => [
    { role: "user", content: [{ text: user }] },
    { role: "assistant", content: [{ text: model }] },
  ]),
  ...(pending
    ? [
        { role: "user", content: [{ text: question }] },
        {
          role: "assistant",
          content: [{ toolUse: { name: "echo", toolUseId: "call_0", input: { text: "pending" } } }],
        },
      ]
    : []),
];
