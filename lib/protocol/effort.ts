/** How much a model thinks before it answers, the least first. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh"] as const;
export type Effort = (typeof efforts)[number];
