import { z } from "zod";
import { tapeMisses } from "@/lib/protocol/tape";
import { id, instructions, knobs, maxText, modelId, type Route } from "./fields";

export const RerunBody = z.strictObject({
  tape: z.enum(tapeMisses),
  model: modelId.optional(),
  text: z.string().trim().min(1, "must not be empty").max(maxText).optional(),
  instructions: instructions.optional(),
  effort: knobs.effort.optional(),
  recordWire: z.boolean().optional(),
});

const compared = z
  .string()
  .transform((ids) => ids.split(","))
  .pipe(z.array(id).min(2, "must name two to six runs").max(6, "must name two to six runs"))
  .refine((ids) => new Set(ids).size === ids.length, "must name each run once");

export const CompareQuery = z.strictObject({ ids: compared });

export const tapeRoutes: Route[] = [
  [
    "post",
    "/api/runs/{id}/rerun",
    "Asks the same again beside it, with the tool results of its recording",
    RerunBody,
  ],
  ["get", "/api/runs/compare", "Two to six answers beside each other, turn by turn; ?ids=a,b"],
];
