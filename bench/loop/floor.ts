import { connect, textOf } from "./connect";
import { type Addresses, type Contestant, type Outcome, system, type Task } from "./tasks";

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
export async function openFloor({ openai, mcp }: Addresses): Promise<Contestant> {
  const client = await connect(mcp);
  const { tools: listed } = await client.listTools();
  const tools = listed.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));

  async function answer({ id, function: asked }: Call): Promise<unknown> {
    const { content } = await client.callTool({ name: asked.name, arguments: JSON.parse(asked.arguments) });
    return { role: "tool", tool_call_id: id, content: textOf(content) };
  }

  return {
    async run({ question, history }) {
      const messages: unknown[] = [...start(history), { role: "user", content: question }];
      const outcome: Outcome = { text: "", toolResults: 0, pieces: 0 };
      while (true) {
        const { text, calls, pieces } = await ask(`${openai}/chat/completions`, messages, tools);
        outcome.text = text;
        outcome.pieces += pieces;
        if (calls.length === 0) return outcome;
        messages.push({ role: "assistant", content: text || null, tool_calls: calls });
        messages.push(...(await Promise.all(calls.map(answer))));
        outcome.toolResults += calls.length;
      }
    },
  };
}

/** The messages before the question. */
const start = (history: Task["history"]): unknown[] => [
  { role: "system", content: system },
  ...history.flatMap(({ user, model }) => [
    { role: "user", content: user },
    { role: "assistant", content: model },
  ]),
];

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
