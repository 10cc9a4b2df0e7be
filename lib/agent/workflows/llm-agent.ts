import { executeWithToolsStream } from "@/lib/agent/execute-with-tools-stream";
import type { Provider, ToolBox } from "@/lib/agent/ports";
import type { AgenticLoopResult } from "@/lib/protocol/chunk";
import { finalAnswer, notRun, roundEndsTurn } from "@/lib/protocol/history";
import type { ChatMessage } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";
import { leftLoop, withEscalation, withExitLoop } from "./exit-loop";
import { step } from "./step";
import { type Agent, AgentError, agentInWords } from "./types";

export interface LlmAgentOptions {
  name: string;
  /** What the model is told; `{key}` is filled in from the state, `{key?}` may be missing. */
  instruction: string;
  /** Gives the tools it may use of those that the run has; default all, `() => undefined` for none. */
  tools?: (all: ToolBox | undefined) => ToolBox | undefined;
  /** Gives the model it asks, from that of the run; default the same. */
  provider?: (ofRun: Provider) => Provider;
  /** Offers `exit_loop`. */
  canExitLoop?: boolean;
  /** Within a loop: a tool whose result escalates leaves it. */
  inLoop?: boolean;
  /** The key under which its final answer goes into the state; a turn that only leaves the loop changes nothing. */
  outputKey?: string;
  /** `none`: of the conversation it gets the last question only. */
  includeContents?: "default" | "none";
}

/** A loop over the model as one step of a workflow. */
export function llmAgent(options: LlmAgentOptions): Agent {
  const { name, instruction, outputKey, includeContents } = options;
  return {
    name,
    async *run(context, path) {
      const mine = new Transcript(input(context.history, includeContents), [], path, "drop");
      const tools = toolsOf(options, context.tools);
      const { tools: _, ...shared } = context;
      const provider = options.provider?.(context.provider) ?? context.provider;
      return yield* step(
        context,
        path,
        async function* ({ iterationsUsed, isAnswered }) {
          // Its words are there: a crash, or a fork, came between them and its end.
          if (!isAnswered) {
            const told = fillIn(instruction, context.state, path);
            let end: AgenticLoopResult | undefined;
            for await (const chunk of executeWithToolsStream({
              ...shared,
              provider,
              agent: path,
              ...(tools && { tools }),
              system: [context.system, told].filter(Boolean).join("\n\n"),
              history: mine.close().history(),
              sent: mine.sent,
              iterationsUsed,
            })) {
              if (chunk.type === "result") end = chunk.result;
              else yield { ...chunk, agent: chunk.agent ?? path };
            }
            if (end?.stopReason !== "end_turn")
              return { stop: end?.stopReason ?? "error", ...(end?.error && { error: end.error }) };
          }
          const output = finalAnswer(mine.delta);
          return {
            output,
            state: outputKey && output ? { [outputKey]: output } : {},
            escalate: leftLoop(mine.delta),
          };
        },
        mine,
      );
    },
  };
}

function toolsOf(
  { tools, canExitLoop, inLoop }: LlmAgentOptions,
  ofRun: ToolBox | undefined,
): ToolBox | undefined {
  const offered = tools ? tools(ofRun) : ofRun;
  const leaving = offered && inLoop ? withEscalation(offered) : offered;
  return canExitLoop ? withExitLoop(leaving ?? noTools) : leaving;
}

const noTools: ToolBox = {
  list: () => [],
  call: async ({ id, name }) => notRun(id, `There is no tool ${name} for this agent.`),
};

function input(history: readonly ChatMessage[], contents: LlmAgentOptions["includeContents"]): ChatMessage[] {
  if (contents === "none") return history.filter(({ role }) => role === "user").slice(-1);
  return roundEndsTurn(history) ? history.map(goingOn) : [...history];
}

/** What ended the turn of the agent before, such as `exit_loop`, does not end that of the next one. */
const goingOn = (message: ChatMessage): ChatMessage =>
  message.role === "tool"
    ? { ...message, results: message.results.map(({ endsTurn: _, ...result }) => result) }
    : message;

/** Puts the state into an instruction; throws `AgentError` for a `{key}` that nothing has set. */
export function fillIn(instruction: string, state: Readonly<Record<string, string>>, path: string): string {
  return instruction.replace(placeholder, (_, key: string, optional: string) => {
    const value = Object.hasOwn(state, key) ? state[key] : undefined;
    if (value !== undefined) return value;
    if (optional) return "";
    throw new AgentError(
      `The agent ${agentInWords(path)} needs {${key}}, which nothing before it has put out; write {${key}?} where it may be missing.`,
    );
  });
}

/** Keys that an instruction needs, without those that may be missing. */
export const neededKeys = (instruction: string): string[] =>
  [...instruction.matchAll(placeholder)].flatMap(([, key, optional]) => (optional || !key ? [] : [key]));

const placeholder = /\{([A-Za-z_]\w*)(\?)?\}/g;
