import { namesFile } from "./file-references";
import type { ToolCall } from "./message";

/** A tool that a model may call without a question, within bounds. */
export interface PlanStep {
  /** Qualified name. */
  tool: string;
  /** Calls, in all. */
  max: number;
  /** Arguments that must have exactly these values; all others may vary. */
  fixed: Record<string, unknown>;
  /** Calls that were sent. */
  used: number;
  /** What the tool said of itself when the plan was proposed. */
  readOnly?: true;
  destructive?: true;
  /** Hash of the definition for which it was proposed: it covers no other. */
  definition?: string;
}

/** As a model proposes it, and as a person leaves it. */
export type StepBounds = Pick<PlanStep, "tool" | "max" | "fixed">;

/** Why a call is not inside the plan that holds; `step`: the nearest one of its tool, from 0. */
export type PlanOutside =
  | { why: "tool" }
  | { why: "used_up"; step: number }
  | { why: "definition"; step: number }
  /** It names a file in an argument that may vary. */
  | { why: "file"; step: number }
  | { why: "arguments"; step: number; arguments: string[] };

/** Where a sent call counts; `added`: a person has put the call into the plan. */
export interface PlanUse {
  /** Request id of the plan's question. */
  id: string;
  step: number;
  added?: true;
}

export const planLimits = { steps: 20, max: 200, characters: 20_000, depth: 8, addedSteps: 50 } as const;

/** Names of the fixed arguments that a call has otherwise. */
export function otherArguments({ fixed }: Pick<PlanStep, "fixed">, args: ToolCall["args"]): string[] {
  return Object.keys(fixed).filter((name) => !Object.hasOwn(args, name) || !isEqual(fixed[name], args[name]));
}

/** Whether an argument that may vary names a file: which files a tool gets is never left open. */
export function variesFile({ fixed }: Pick<PlanStep, "fixed">, args: ToolCall["args"]): boolean {
  return Object.entries(args).some(([name, value]) => !Object.hasOwn(fixed, name) && namesFile(value));
}

/** Whether a step is for such a call, however often it was used. */
export const isFor = (step: PlanStep, { name, args }: Pick<ToolCall, "name" | "args">): boolean =>
  step.tool === name && otherArguments(step, args).length === 0 && !variesFile(step, args);

/**
 * What a person leaves of a proposal: its steps in their order, each with the same or tighter bounds; `fault` names the
 * first field that would allow more.
 */
export function narrow(
  proposed: readonly PlanStep[],
  left: readonly StepBounds[],
): { steps: PlanStep[] } | { fault: string } {
  const steps: PlanStep[] = [];
  let from = 0;
  for (const [index, bounds] of left.entries()) {
    const at = proposed.findIndex((step, place) => place >= from && faultOf(step, bounds) === undefined);
    const step = proposed[at];
    if (!step) return { fault: `plan.steps.${index}.${whyWider(proposed.slice(from), bounds)}` };
    from = at + 1;
    steps.push({ ...step, max: bounds.max, fixed: bounds.fixed });
  }
  return { steps };
}

interface Wider {
  field: string;
  message: string;
}

const noStep: Wider = {
  field: "tool",
  message: "the proposal has no such step here; steps can only be removed.",
};

/** What of some bounds would allow more than a step does. */
function faultOf(step: PlanStep, bounds: StepBounds): Wider | undefined {
  if (step.tool !== bounds.tool) return noStep;
  if (bounds.max > step.max)
    return {
      field: "max",
      message: `the proposal says at most ${step.max}; a plan can only be made narrower.`,
    };
  const [open] = otherArguments(step, bounds.fixed);
  if (open === undefined) return undefined;
  return {
    field: `fixed.${open}`,
    message: "the proposal fixes this argument; a plan can only be made narrower.",
  };
}

function whyWider(proposed: readonly PlanStep[], bounds: StepBounds): string {
  const same = proposed.find(({ tool }) => tool === bounds.tool);
  const { field, message } = (same && faultOf(same, bounds)) ?? noStep;
  return `${field}: ${message}`;
}

/** The steps with a call in them: one more of a step that is for it, else a step for exactly this call. Undefined for a full plan. */
export function widen(
  steps: readonly PlanStep[],
  { name, args, definition }: Pick<ToolCall, "name" | "args" | "definition">,
): { steps: PlanStep[]; step: number } | undefined {
  const at = steps.findIndex(
    (step) => isFor(step, { name, args }) && isSameDefinition(step, definition) && step.max < planLimits.max,
  );
  const step = steps[at];
  if (step) return { steps: steps.with(at, { ...step, max: step.max + 1 }), step: at };
  if (steps.length >= planLimits.addedSteps) return undefined;
  const added = { tool: name, max: 1, fixed: args, used: 0, ...(definition !== undefined && { definition }) };
  return { steps: [...steps, added], step: steps.length };
}

export const isSameDefinition = (step: PlanStep, definition: string | undefined): boolean =>
  step.definition === undefined || definition === undefined || step.definition === definition;

/** Of JSON: names in any order. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isEqual(left[name], right[name]))
  );
}
