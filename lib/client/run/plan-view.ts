import type { ToolCallId } from "@/lib/protocol/ids";
import { type PlanStep, planLimits } from "@/lib/protocol/plan";
import type { RunView, ToolView } from "./run-view";

/** A plan that a person has approved, as it stands in its answer. */
export interface PlanView {
  steps: readonly PlanStep[];
  /** `holds`: calls go by it; `over`: the answer has ended, or another plan has taken its place. */
  state: "holds" | "takenBack" | "over";
}

/** The plans of an answer, by the call that proposed them. */
export function plansOf(view: RunView): ReadonlyMap<ToolCallId, PlanView> {
  const tools = view.loops.flatMap(({ items }) => items.filter((item) => item.kind === "tool"));
  const approved = tools.flatMap((tool) => {
    const steps = approvedSteps(tool);
    return steps ? [{ id: tool.id, steps }] : [];
  });
  const goesOn = view.status === "running" || view.status === "waiting";
  return new Map(
    approved.map(({ id, steps }, at) => {
      const state = view.takenBack.includes(id)
        ? "takenBack"
        : goesOn && at === approved.length - 1
          ? "holds"
          : "over";
      return [id, { steps: withUses(id, steps, tools), state }];
    }),
  );
}

/** What a person has left of a proposal; undefined for any other call, and where a link does not show it. */
function approvedSteps(tool: ToolView): PlanStep[] | undefined {
  const { result } = tool;
  if (!proposesPlan(tool) || result?.status !== "ok") return undefined;
  const { plan } = (result.structured ?? {}) as { plan?: { steps?: unknown } };
  return Array.isArray(plan?.steps) && plan.steps.every(isStep)
    ? plan.steps.slice(0, planLimits.steps)
    : undefined;
}

/** Whether it asks for a plan to be approved. */
export const proposesPlan = ({ call }: ToolView): boolean => call.name === "meguri__propose_plan";

/** In an imported file it can be anything. */
function isStep(step: unknown): step is PlanStep {
  const { tool, max, fixed } = (step ?? {}) as Partial<PlanStep>;
  return typeof tool === "string" && Number.isInteger(max) && typeof fixed === "object" && fixed !== null;
}

function withUses(id: string, approved: readonly PlanStep[], tools: readonly ToolView[]): PlanStep[] {
  const steps = approved.map((step) => ({ ...step, used: 0 }));
  for (const { plan, call, args } of tools) {
    // An imported file can name any step.
    if (plan?.id !== id || plan.step >= planLimits.addedSteps) continue;
    const step = steps[plan.step];
    if (!step) steps[plan.step] = { tool: call.name, max: 1, fixed: args, used: 1 };
    else {
      step.used++;
      if (plan.added) step.max++;
    }
  }
  // A call that was put in and has not been sent has no line yet.
  return steps.filter(Boolean);
}
