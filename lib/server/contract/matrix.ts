import { z } from "zod";
import type { MatrixBudget } from "@/lib/protocol/matrix";
import { tapeMisses } from "@/lib/protocol/tape";
import { id, modelId, type Route } from "./fields";

const isUnique = (values: readonly string[]): boolean => new Set(values).size === values.length;

/** The same numbers as of a run's budget; calls and time are bounded by each run's own limits. */
const budget = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000).optional(),
    cost: z.number().positive().max(100_000).optional(),
  })
  .refine(({ tokens, cost }) => tokens !== undefined || cost !== undefined, {
    message: "name at least one of tokens and cost",
  })
  .transform(
    ({ tokens, cost }): MatrixBudget => ({
      ...(tokens !== undefined && { tokens }),
      ...(cost !== undefined && { cost }),
    }),
  );

export const MatrixBody = z.strictObject({
  runIds: z
    .array(id)
    .min(1, "must name one to six runs")
    .max(6, "must name one to six runs")
    .refine(isUnique, "must name each run once"),
  models: z
    .array(modelId)
    .min(1, "must name one to six models")
    .max(6, "must name one to six models")
    .refine(isUnique, "must name each model once"),
  tape: z.enum(tapeMisses),
  budget,
  unpriced: z.enum(["ask", "run"]).default("ask"),
});

export const MatrixPatch = z.strictObject({ budget });

export const matrixRoutes: Route[] = [
  [
    "post",
    "/api/matrix",
    "Has up to six models answer up to six recorded questions, under one budget",
    MatrixBody,
  ],
  ["get", "/api/matrix/{id}", "What became of each cell, and what all have used"],
  ["patch", "/api/matrix/{id}", "Goes on under another budget", MatrixPatch],
  ["post", "/api/matrix/{id}/stop", "Ends its cells for good"],
];
