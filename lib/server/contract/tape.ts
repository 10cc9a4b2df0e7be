import { z } from "zod";
import { tapeMisses } from "@/lib/protocol/tape";
import { instructions, knobs, maxText, modelId, type Route } from "./fields";

export const RerunBody = z.strictObject({
  tape: z.enum(tapeMisses),
  model: modelId.optional(),
  text: z.string().trim().min(1, "must not be empty").max(maxText).optional(),
  instructions: instructions.optional(),
  effort: knobs.effort.optional(),
});

export const tapeRoutes: Route[] = [
  [
    "post",
    "/api/runs/{id}/rerun",
    "Asks the same again beside it, with the tool results of its recording",
    RerunBody,
  ],
];
