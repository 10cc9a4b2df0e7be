import { serveParent } from "@/bench/support/child";
import { startAnthropicServer } from "@/lib/providers/testing/anthropic-server";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { startResponsesServer } from "@/lib/providers/testing/responses-server";
import { callTools, finish, type ScriptedCall, type Step, say, usage } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { lastWords, type PacketSize, sleepMs } from "./tasks";
import { tokenSteps, tokenWires } from "./token-steps";

/** What the model was asked since somebody looked: how often, and the tools' answers that it read last. */
export interface Asked {
  requests: number;
  toolResults: string[];
}

let asked: Asked = { requests: 0, toolResults: [] };

type WireName = keyof typeof tokenWires;

/** One scripted model for every contestant, on four wires: it does what the question says. */
function script(wire: WireName, { lastUserText, toolResults, tools, body }: WireRequest): Step[] {
  for (const server of servers) server.requests.length = 0; // they keep all of them for tests
  asked = { requests: asked.requests + 1, toolResults };
  const [what = "", count = 0, ...rest] = lastUserText.split(" ");
  if (what === "tokens") return [...tokens(wire, Number(count), rest.join(" ") as PacketSize), usage(100, 5)];
  const missing = missingOf(lastUserText, { messages: messagesIn(body), tools: tools.length });
  const answer = missing
    ? [say(missing)]
    : turn(what, Number(count), toolResults.length, (name) => named(name, tools));
  return [...answer, usage(100, 5)];
}

/** In words, what a request lacks of what its question says: "… after 1000 messages with 500 tools". */
function missingOf(question: string, sent: { messages: number; tools: number }): string | undefined {
  const [, messages, tools] = /after (\d+) messages with (\d+) tools/.exec(question) ?? [];
  if (sent.messages > Number(messages ?? 0) && sent.tools >= Number(tools ?? 0)) return undefined;
  return `Asked with ${sent.messages} messages and ${sent.tools} tools.`;
}

const messagesIn = ({ messages, contents, input }: WireRequest["body"]): number =>
  [messages, contents, input].flat().filter((message) => message !== undefined).length;

function turn(what: string, count: number, results: number, tool: (name: string) => string): Step[] {
  const call = (name: string, args: Omit<ScriptedCall, "name">, index = results): ScriptedCall => ({
    name,
    id: `call_${index}`,
    ...args,
  });
  const echo = (args: Omit<ScriptedCall, "name">) => [callTools(call(tool("echo"), args))];
  if (what === "length") return [say("The first half of a sen"), finish("length")];
  if (what === "forever") return echo({ args: { text: `turn ${results}` } });
  if (what === "pending" && results === 0) return [say("I see a call that nobody has answered.")];
  if (results >= Math.max(1, count)) return [say(lastWords)];
  switch (what) {
    case "invalid":
      return echo({ args: { text: { is: "not a text" } } });
    case "malformed":
      return echo({ written: '{"text": "cut o' });
    case "unknown":
      return [callTools(call("no_such_tool", { args: {} }))];
    case "sleep":
      return [callTools(call(tool("sleep"), { args: { ms: count * 1_000 } }))];
    case "parallel":
      return [
        callTools(
          ...Array.from({ length: count }, (_, index) =>
            call(tool("sleep"), { args: { ms: sleepMs } }, index),
          ),
        ),
      ];
    default:
      return echo({ args: { text: `turn ${results}` } });
  }
}

const prepared = new Map<string, Step[]>();

/** Made once: the server shares the machine with what is measured. */
function tokens(wire: WireName, count: number, size: PacketSize): Step[] {
  const key = `${wire} ${count} ${size}`;
  const steps = prepared.get(key) ?? tokenSteps(tokenWires[wire], count, size);
  prepared.set(key, steps);
  return steps;
}

/** Contestants put the server's name before the tool's. */
const named = (name: string, tools: readonly string[]) => tools.find((tool) => tool.endsWith(name)) ?? name;

const as = (wire: WireName) => (request: WireRequest) => script(wire, request);
const servers: WireServer[] = [
  await startOpenAiServer(as("openai")),
  await startGeminiServer(as("gemini")),
  await startAnthropicServer(as("claude")),
  await startResponsesServer(as("responses")),
];
const [openai, gemini, claude, responses] = servers.map(({ url }) => url);
serveParent({ openai, gemini, claude, responses }, async () => {
  const since = asked;
  asked = { requests: 0, toolResults: [] };
  return since;
});
