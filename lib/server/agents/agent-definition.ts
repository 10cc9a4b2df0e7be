import { z } from "zod";
import { agentNamePattern } from "@/lib/protocol/agents";
import { type Effort, efforts } from "@/lib/protocol/effort";
import { modelIdPattern } from "@/lib/protocol/model-id";

/** How a workflow agent is written down, in `agents/*.yaml` and in a run that has begun with it. */
export type AgentNode = { description?: Localized | undefined } & (
  | LlmNode
  | { type: "sequential"; name?: string | undefined; agents: AgentNode[] }
  | { type: "loop"; name: string; maxIterations?: number | undefined; agents: AgentNode[] }
  | { type: "parallel"; name: string; agents: AgentNode[] }
  /** The agent of another file. */
  | { type: "use"; agent: string }
  /** One that is written in TypeScript (`lib/server/agents/custom-agents.ts`). */
  | { type: "custom"; name: string }
);

export interface LlmNode {
  type: "llm";
  name: string;
  instruction: string;
  /** `provider/name`; that of the run without it. */
  model?: string | undefined;
  effort?: Effort | undefined;
  outputKey?: string | undefined;
  includeContents?: "default" | "none" | undefined;
  /** `all` (default), `none`, or patterns like `mcp:filesystem:*`. */
  tools?: "all" | "none" | string[] | undefined;
  /** Offers `exit_loop`; only within a loop. */
  exitLoop?: boolean | undefined;
}

export interface AgentDefinition {
  name: string;
  title?: Localized | undefined;
  description?: Localized | undefined;
  /** What the state holds at the start, by key; null where who starts the agent has to give it. */
  state?: Record<string, string | null> | undefined;
  /** Key of the state that is the answer: it is appended as the agent's last words. */
  result?: string | undefined;
  agent: AgentNode;
}

export type Localized = string | { en: string; ja?: string | undefined };

export const agentName = z
  .string()
  .regex(agentNamePattern, "must begin with a letter and hold letters, digits, _ and - only, at most 40");
const localized = z.union(
  [
    z.string().min(1).max(500),
    z.strictObject({ en: z.string().min(1).max(500), ja: z.string().min(1).max(500).optional() }),
  ],
  { error: "must be a text of at most 500 characters, or one under en and perhaps one under ja" },
);
const agents = z.lazy(() => z.array(node).min(1, "needs at least one agent").max(20, "at most 20 agents"));
const description = localized.optional();
const stateKey = z
  .string()
  .regex(/^(?!__proto__$)[A-Za-z_]\w{0,39}$/, "must be a name of letters, digits and _, and not __proto__");

const unknownType = { message: "must be llm, sequential, loop, parallel, use or custom" };

const node: z.ZodType<AgentNode> = z.discriminatedUnion(
  "type",
  [
    z.strictObject({
      type: z.literal("llm"),
      name: agentName,
      description,
      instruction: z.string().min(1).max(20_000),
      model: z.string().regex(modelIdPattern, 'must be "provider/name"').max(300).optional(),
      effort: z.enum(efforts).optional(),
      outputKey: stateKey.optional(),
      includeContents: z.enum(["default", "none"]).optional(),
      tools: z
        .union(
          [
            z.enum(["all", "none"]),
            z.array(z.string().regex(/^mcp:[^:]+:.+$/, 'must look like "mcp:<server>:<tool>"')).max(100),
          ],
          {
            error: 'must be all, none, or a list of at most 100 patterns like "mcp:<server>:<tool>"',
          },
        )
        .optional(),
      exitLoop: z.boolean().optional(),
    }),
    z.strictObject({ type: z.literal("sequential"), name: agentName.optional(), description, agents }),
    z.strictObject({
      type: z.literal("loop"),
      name: agentName,
      description,
      maxIterations: z.int().min(1).max(50).optional(),
      agents,
    }),
    z.strictObject({ type: z.literal("parallel"), name: agentName, description, agents }),
    z.strictObject({ type: z.literal("use"), agent: agentName, description }),
    z.strictObject({ type: z.literal("custom"), name: agentName, description }),
  ],
  { error: ({ code }) => (code === "invalid_union" ? unknownType : undefined) },
);

const initialState = z
  .record(stateKey, z.string({ error: "must be text; put quotes round a number" }).max(20_000).nullable())
  .refine((state) => Object.keys(state).length <= 50, "may have at most 50 keys");

export const AgentFile: z.ZodType<AgentDefinition> = z.strictObject({
  name: agentName,
  title: localized.optional(),
  description: localized.optional(),
  state: initialState.optional(),
  result: z.string().max(40).optional(),
  agent: node,
});

/** An agent as a run keeps it, with those of other files in the places that name them. */
export const KeptAgent = z.looseObject({
  name: agentName,
  state: z.record(z.string(), z.string().nullable()).optional(),
  result: z.string().max(40).optional(),
  agent: node,
});
