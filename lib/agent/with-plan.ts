import { notRun } from "@/lib/protocol/history";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { OpenCalls } from "@/lib/protocol/open-calls";
import { type PlanStep, planLimits, type StepBounds } from "@/lib/protocol/plan";
import { meaningOf } from "@/lib/protocol/questions";
import { findArgumentProblems } from "./argument-problems";
import type { CallContext, ToolBox, ToolSpec } from "./ports";
import type { RunPlan } from "./run-plan";
import type { ApprovalOptions } from "./with-approval";

export const proposePlanTool = "meguri__propose_plan";

export const proposePlanSpec: ToolSpec = {
  name: proposePlanTool,
  description:
    "Asks the person once for several calls that would each be asked about. Propose it alone, before these calls, when you know which tools you need, how often, and which arguments are the same each time. Keep every bound as tight as the task allows. Calls inside an approved plan run without a question; all others are asked about as before.",
  inputSchema: {
    type: "object",
    properties: {
      steps: {
        type: "array",
        minItems: 1,
        maxItems: planLimits.steps,
        items: {
          type: "object",
          properties: {
            tool: { type: "string", description: "The full name of one of your tools." },
            max: {
              type: "integer",
              minimum: 1,
              maximum: planLimits.max,
              description: "At most so many calls.",
            },
            fixed: {
              type: "object",
              description:
                "Arguments that have exactly this value in each of these calls; others may vary. Fix every argument that you know.",
            },
          },
          required: ["tool", "max"],
          additionalProperties: false,
        },
      },
    },
    required: ["steps"],
    additionalProperties: false,
  },
};

export interface PlanOptions {
  /** The fold of the chain's logs; a chunk of the live run is added when it is stored. */
  plan: RunPlan;
  open: OpenCalls;
  /** Whether the model may propose one; a plan that was approved holds all the same. */
  isOffered: boolean;
  /** The tools that can be in a plan, as the model calls them. */
  specs(): readonly ToolSpec[];
  /** What the rules say now. */
  policy: ApprovalOptions["policy"];
  /** What a tool says of itself. */
  hints(name: string): Pick<PlanStep, "readOnly" | "destructive" | "definition">;
}

/**
 * Puts what a model proposes to a person, says in the log which calls count in the plan that was approved, and in the question
 * about any other what keeps it out. Whether a call may go is said by `allowPlan`.
 */
export function withPlan(tools: ToolBox, options: PlanOptions): ToolBox {
  const { plan, isOffered } = options;
  return {
    list: () => (isOffered ? [...tools.list(), proposePlanSpec] : tools.list()),
    async call(call, context) {
      if (call.name === proposePlanTool && (isOffered || options.open.has(call.id)))
        return propose(call, context, options);
      const emit: CallContext["emit"] = async (chunk) => {
        if (chunk.type === "tool_start" && chunk.id === call.id) {
          const use = plan.start({ ...call, args: chunk.args });
          return context.emit(use ? { ...chunk, plan: use } : chunk);
        }
        if (chunk.type !== "approval_request" || chunk.requestId !== call.id || chunk.reason !== "rule")
          return context.emit(chunk);
        const outside = plan.outside(chunk.call);
        return context.emit(outside ? { ...chunk, outside } : chunk);
      };
      try {
        return await tools.call(call, { ...context, emit });
      } finally {
        plan.release(call.id);
      }
    },
  };
}

/** A call inside the plan needs no other word where a rule would ask, and nowhere else. */
export const allowPlan =
  (plan: RunPlan, policy: ApprovalOptions["policy"]): ApprovalOptions["policy"] =>
  async (call) => {
    const verdict = await policy(call);
    if (typeof verdict !== "object" || !("ask" in verdict) || verdict.ask !== "rule") return verdict;
    const { definition } = verdict;
    if (!plan.reserve(call, definition)) return verdict;
    return definition === undefined ? "allow" : { allow: { definition } };
  };

async function propose(
  call: ToolCall,
  { emit }: CallContext,
  options: PlanOptions,
): Promise<ToolResult | { waiting: "awaiting_approval" }> {
  const said = options.open.get(call.id)?.answers[call.id];
  const meaning = said && meaningOf(said);
  if (meaning?.effect === "refuse") {
    const content = [{ type: "text" as const, text: said?.text ?? meaning.text }];
    return { id: call.id, status: "denied", ...(!said?.text && { reason: "declined" as const }), content };
  }
  if (meaning?.effect === "run") return tellApproved(call, options.plan);
  const problem = await findProblem(call, options);
  if (problem !== undefined) return notRun(call.id, `Not proposed: ${problem}`);
  const steps = stepsOf(call).map((step) => ({ ...step, used: 0, ...options.hints(step.tool) }));
  await emit({ type: "approval_request", requestId: call.id, call, reason: "plan", plan: { steps } });
  return { waiting: "awaiting_approval" };
}

function tellApproved(call: ToolCall, plan: RunPlan): ToolResult {
  const text = (words: string) => [{ type: "text" as const, text: words }];
  const approved = plan.current?.id === call.id ? plan.current : undefined;
  if (!approved)
    return {
      id: call.id,
      status: "ok",
      content: text("No plan holds: the person is asked about each call."),
    };
  const steps = approved.steps.map(boundsOf);
  const isChanged = JSON.stringify(steps) !== JSON.stringify(stepsOf(call));
  return {
    id: call.id,
    status: "ok",
    content: text(
      isChanged
        ? `The person has made the plan narrower and approved this:\n${JSON.stringify(steps)}\nAny other call is asked about.`
        : "The person has approved the plan. Any call outside of it is asked about.",
    ),
    structured: { plan: { steps: approved.steps.map((step) => ({ ...step, used: 0 })) } },
  };
}

const boundsOf = ({ tool, max, fixed }: StepBounds): StepBounds => ({ tool, max, fixed });

const stepsOf = ({ args }: ToolCall): StepBounds[] =>
  (args.steps as (Omit<StepBounds, "fixed"> & Partial<StepBounds>)[]).map(({ tool, max, fixed = {} }) => ({
    tool,
    max,
    fixed,
  }));

/** What the model has to change before a person is asked. */
async function findProblem(call: ToolCall, options: PlanOptions): Promise<string | undefined> {
  const [problem] = findArgumentProblems(proposePlanSpec.inputSchema, call.args);
  if (problem !== undefined) return problem;
  const { characters, depth } = planLimits;
  if (JSON.stringify(call.args).length > characters)
    return `a plan has at most ${characters} characters. Fix short arguments only, or propose fewer steps.`;
  if (isDeeper(call.args.steps, depth + 3))
    return `fixed arguments are nested deeper than ${depth} levels. Fix only those that are flat.`;
  const specs = new Map(options.specs().map((spec) => [spec.name, spec]));
  const steps = stepsOf(call);
  const misfits = steps.map((step) => findMisfit(step, specs.get(step.tool)));
  // Side by side, as each may wait for a server that comes back.
  const whys = misfits.some((why) => why !== undefined)
    ? misfits
    : await Promise.all(steps.map((step) => findRefusal(call, step, options)));
  const at = whys.findIndex((why) => why !== undefined);
  return at < 0 ? undefined : `/steps/${at}: ${whys[at]}`;
}

function findMisfit({ tool, fixed }: StepBounds, spec: ToolSpec | undefined): string | undefined {
  if (!spec)
    return `there is no tool ${tool.slice(0, 200)} that could be in a plan. Name your tools as you call them.`;
  const { required: _, ...schema } = spec.inputSchema;
  const { properties = {}, additionalProperties } = schema;
  const stranger = Object.keys(fixed).find((name) => !Object.hasOwn(properties as object, name));
  if (stranger !== undefined && !additionalProperties)
    return `fixed names ${stranger.slice(0, 200)}, and ${tool} has no such argument.`;
  const [problem] = findArgumentProblems(schema, fixed);
  return problem && `fixed does not fit the arguments of ${tool}. ${problem}`;
}

async function findRefusal(
  { id }: ToolCall,
  { tool, fixed }: StepBounds,
  { policy }: PlanOptions,
): Promise<string | undefined> {
  const verdict = await policy({ type: "tool_call", id, name: tool, args: fixed });
  if (typeof verdict !== "object" || "allow" in verdict) return undefined;
  if ("deny" in verdict) return `${tool} cannot be in a plan: ${verdict.deny} Leave it out.`;
  return verdict.ask === "rule"
    ? undefined
    : `${tool} cannot be in a plan, as nobody has accepted its definition. Leave it out; its calls are asked about.`;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
