import { serveParent } from "@/bench/support/child";
import { startGeminiServer } from "@/lib/providers/testing/gemini-server";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, finish, type ScriptedCall, type Step, say, usage } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import type { WireServer } from "@/lib/providers/testing/wire-server";
import { lastWords, sleepMs } from "./tasks";

/** What the model was asked since somebody looked: how often, and the tools' answers that it read last. */
export interface Asked {
  requests: number;
  toolResults: string[];
}

let asked: Asked = { requests: 0, toolResults: [] };

/** One scripted model for every contestant, on two wires: it does what the question says. */
function script({ lastUserText, toolResults, tools, body }: WireRequest): Step[] {
  for (const server of servers) server.requests.length = 0; // they keep all of them for tests
  asked = { requests: asked.requests + 1, toolResults };
  const [what = "", count = 0] = lastUserText.split(" ");
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

const messagesIn = ({ messages, contents }: WireRequest["body"]): number =>
  [messages, contents].flat().filter((message) => message !== undefined).length;

function turn(what: string, count: number, results: number, tool: (name: string) => string): Step[] {
  const call = (name: string, args: Omit<ScriptedCall, "name">, index = results): ScriptedCall => ({
    name,
    id: `call_${index}`,
    ...args,
  });
  const echo = (args: Omit<ScriptedCall, "name">) => [callTools(call(tool("echo"), args))];
  if (what === "tokens") return [say("token ".repeat(count))];
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

/** Contestants put the server's name before the tool's. */
const named = (name: string, tools: readonly string[]) => tools.find((tool) => tool.endsWith(name)) ?? name;

const servers: WireServer[] = [await startOpenAiServer(script), await startGeminiServer(script)];
serveParent({ openai: servers[0]?.url, gemini: servers[1]?.url }, async () => {
  const since = asked;
  asked = { requests: 0, toolResults: [] };
  return since;
});
