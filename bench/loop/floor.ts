import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type Addresses, type Contestant, type Outcome, system } from "./rows";

interface Delta {
  content?: string;
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[];
}

interface Call {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** The same requests written by hand: fetch, an SSE parser and the MCP client. Nothing is checked, kept or reported. */
export async function openFloor({ model, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp);
  const { tools: listed } = await client.listTools();
  const tools = listed.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));

  return {
    async run(question) {
      const messages: unknown[] = [
        { role: "system", content: system },
        { role: "user", content: question },
      ];
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      while (true) {
        const { text, calls, pieces } = await ask(`${model}/chat/completions`, messages, tools);
        outcome.text = text;
        outcome.pieces += pieces;
        if (calls.length === 0) return outcome;
        messages.push({ role: "assistant", content: text || null, tool_calls: calls });
        for (const { id, function: asked } of calls) {
          const result = await client.callTool({ name: asked.name, arguments: JSON.parse(asked.arguments) });
          const content = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
          messages.push({ role: "tool", tool_call_id: id, content });
          outcome.toolResults++;
        }
      }
    },
  };
}

export async function connect(mcp: string): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  return client;
}

async function ask(url: string, messages: readonly unknown[], tools: readonly unknown[]) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "test-model",
      messages,
      tools,
      tool_choice: "auto",
      stream: true,
      stream_options: { include_usage: true },
    }),
  });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  const answer = { text: "", calls: [] as Call[], pieces: 0 };
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of response.body) {
    rest += decoder.decode(bytes, { stream: true });
    let start = 0;
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n", start)) {
      const data = rest.slice(start + "data: ".length, end);
      start = end + 2;
      if (data !== "[DONE]") read(JSON.parse(data).choices[0]?.delta, answer);
    }
    rest = rest.slice(start);
  }
  return answer;
}

function read(delta: Delta | undefined, answer: { text: string; calls: Call[]; pieces: number }): void {
  if (delta?.content) {
    answer.text += delta.content;
    answer.pieces++;
  }
  for (const { index, id = "", function: piece } of delta?.tool_calls ?? []) {
    const call = answer.calls[index] ?? { id, type: "function", function: { name: "", arguments: "" } };
    answer.calls[index] = call;
    call.function.name += piece.name ?? "";
    call.function.arguments += piece.arguments ?? "";
  }
}
