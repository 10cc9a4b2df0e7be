import { useState } from "react";
import { useServers } from "@/lib/client/servers/servers";
import { isEqual, type PlanStep, type StepBounds } from "@/lib/protocol/plan";

/** A step while a person looks at it and may make it narrower. */
export interface DraftStep {
  proposed: PlanStep;
  max: number;
  fixed: Record<string, unknown>;
  isRemoved: boolean;
}

export interface PlanDraft {
  steps: readonly DraftStep[];
  /** What is left, in the order of the proposal. */
  left: readonly StepBounds[];
  /** Calls in all that are left. */
  calls: number;
  isChanged: boolean;
  change(at: number, step: Partial<Omit<DraftStep, "proposed">>): void;
  putBack(at: number): void;
}

export function usePlanDraft(proposed: readonly PlanStep[]): PlanDraft {
  const [steps, setSteps] = useState<readonly DraftStep[]>(() => proposed.map(asProposed));
  const set = (at: number, next: (step: DraftStep) => DraftStep) =>
    setSteps((before) => before.map((step, index) => (index === at ? next(step) : step)));
  const left = steps.flatMap(({ proposed: { tool }, max, fixed, isRemoved }) =>
    isRemoved ? [] : { tool, max, fixed },
  );
  return {
    steps,
    left,
    calls: left.reduce((sum, { max }) => sum + max, 0),
    isChanged: steps.some(isNarrowed),
    change: (at, change) => set(at, (step) => ({ ...step, ...change })),
    putBack: (at) => set(at, (step) => asProposed(step.proposed)),
  };
}

const asProposed = (step: PlanStep): DraftStep => ({
  proposed: step,
  max: step.max,
  fixed: step.fixed,
  isRemoved: false,
});

export const isNarrowed = ({ proposed, max, fixed, isRemoved }: DraftStep): boolean =>
  isRemoved || max !== proposed.max || !isEqual(fixed, proposed.fixed);

/** The arguments of a tool that a step leaves open, where its server is connected; by name whether it takes text. */
export function useOpenArguments(
  tool: string,
  fixed: Record<string, unknown>,
): [name: string, isText: boolean][] {
  const { data } = useServers();
  const found = data?.items.flatMap(({ tools }) => tools).find(({ qualifiedName }) => qualifiedName === tool);
  const { properties = {} } = (found?.inputSchema ?? {}) as {
    properties?: Record<string, { type?: unknown }>;
  };
  return Object.entries(properties)
    .filter(([name]) => !Object.hasOwn(fixed, name))
    .map(([name, schema]) => [name, schema?.type === "string"]);
}
