import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serveParent } from "@/bench/support/child";
import { nowUs, tokensASecond } from "./timing";

const maxTokens = 100_000;
const head = `data: {"id":"answer","object":"chat.completion.chunk","created":1,"model":"test","choices":[{"index":0,"delta":{"content":"`;
const tail = `"},"finish_reason":null}]}\n\n`;
const end = [
  `{"id":"answer","object":"chat.completion.chunk","created":1,"model":"test","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
  `{"id":"answer","object":"chat.completion.chunk","created":1,"model":"test","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
  "[DONE]",
];
const models = { object: "list", data: [{ id: "test-model", object: "model", owned_by: "bench" }] };

/**
 * A model on OpenAI's wire that costs as little as it can, since it shares the machine with what is measured. Asked for
 * "12 tokens" it writes 12 of them, 20 a second, the first at once; "12 tokens 100 a second" goes as fast, "12 tokens after 10"
 * has 10 of them at once. With "in Markdown" they are words of a report; else each says when it was written. Asked to call a
 * tool ("call memory__read_graph"), it does so first.
 */
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.end(JSON.stringify(models));
  const { question, isAnswered } = await lastMessages(request);
  const [, tool] = /call (\w+)/.exec(question) ?? [];
  const [, count = "1", rate = tokensASecond, atOnce = 1] =
    /(\d+) tokens(?: (\d+) a second)?(?: after (\d+))?/.exec(question) ?? [];
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (tool && !isAnswered) return void response.end(callOf(tool));
  const tokenAt = question.includes("in Markdown") ? markdownAt : stamp;
  writeTokens(response, {
    count: Math.min(maxTokens, Number(count)),
    rate: Number(rate),
    atOnce: Number(atOnce),
    tokenAt,
  });
});

/** The last question, and whether results of calls stand after it. */
async function lastMessages(request: IncomingMessage): Promise<{ question: string; isAnswered: boolean }> {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  const { messages = [] } = JSON.parse(text) as { messages?: { role: string; content: unknown }[] };
  const asked = messages.findLast(({ role }) => role === "user");
  return { question: JSON.stringify(asked?.content ?? ""), isAnswered: messages.at(-1)?.role === "tool" };
}

/** A turn that calls the tool without arguments. */
function callOf(tool: string): string {
  const call = {
    index: 0,
    id: `call_${calls++}`,
    type: "function",
    function: { name: tool, arguments: "{}" },
  };
  const chunk = (delta: object, reason: string | null) =>
    JSON.stringify({
      ...{ id: "answer", object: "chat.completion.chunk", created: 1, model: "test" },
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
  const data = [chunk({ tool_calls: [call] }, null), chunk({}, "tool_calls"), ...end.slice(1)];
  return data.map((line) => `data: ${line}\n\n`).join("");
}

let calls = 0;

interface Wanted {
  count: number;
  /** Tokens a second. */
  rate: number;
  atOnce: number;
  /** As it stands in a string of JSON. */
  tokenAt(index: number): string;
}

const stamp = () => `@${nowUs()} `;

const report = `## Harbour, part two

The **third report** names the harbour \`twice\`, each time beside the [old mill](https://example.org/mill) and never without it. What it says of the water stands in a list:

- it was measured at noon, *before* the ships came in
- it was measured again at night
  - by lamplight, as the keeper notes

| day | noon | night |
|---|---|---|
| Monday | 3.1 m | 2.8 m |
| Tuesday | 3.4 m | 2.9 m |

\`\`\`ts
export function levelAt(day: string, hours: readonly number[]): number | undefined {
  const found = hours.find((hour) => hour > 12); // the first after noon
  return found === undefined ? undefined : found * 3.1;
}
\`\`\`

1. Whoever reads it a second time finds the mill again.
2. Whoever reads it a third time does not look for it.

`;
const words = report.split(/(?<=\s)/).map((word) => JSON.stringify(word).slice(1, -1));
const markdownAt = (index: number) => words[index % words.length] ?? "";

/** Those that are due, each a packet of its own unless the timer came late. */
function writeTokens(response: ServerResponse, { count, rate, atOnce, tokenAt }: Wanted): void {
  const start = performance.now();
  let written = 0;
  const write = () => {
    if (response.destroyed) return;
    const due = Math.min(count, Math.floor(((performance.now() - start) * rate) / 1_000) + atOnce);
    let text = "";
    for (; written < due; written++) text += `${head}${tokenAt(written)}${tail}`;
    if (text) response.write(text);
    if (written === count) response.end(end.map((data) => `data: ${data}\n\n`).join(""));
    else setTimeout(write, Math.max(1, start + ((written - atOnce + 1) * 1_000) / rate - performance.now()));
  };
  write();
}

server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () =>
  serveParent({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, pid: process.pid }),
);
