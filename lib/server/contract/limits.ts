import { z } from "zod";
import { limitMaxima } from "@/lib/protocol/person-limits";
import { flag, type Route } from "./fields";
import { retentionDays } from "./settings";

const { runs, tokensPerDay, costPerDay, bytes, servers } = limitMaxima;

/** A limit that is null is taken away; zero means nothing at all. */
export const limitsPatch = z
  .strictObject({
    runs: z.int().min(0).max(runs).nullish(),
    tokensPerDay: z.int().min(0).max(tokensPerDay).nullish(),
    costPerDay: z.number().min(0).max(costPerDay).nullish(),
    bytes: z.int().min(0).max(bytes).nullish(),
    servers: z.int().min(0).max(servers).nullish(),
  })
  .refine((patch) => Object.keys(patch).length > 0, "name the limits that are to change");

export const SharedLimitsBody = z
  .strictObject({
    admin: limitsPatch.optional(),
    member: limitsPatch.optional(),
    retention: z.strictObject({ days: retentionDays.nullable() }).optional(),
  })
  .refine(
    (body) => Object.values(body).some((part) => part !== undefined),
    "name admin, member or retention, what is to change",
  );

export type SharedLimitsPatch = z.output<typeof SharedLimitsBody>;

export const UseQuery = z.strictObject({
  everybody: flag.optional(),
  days: z.coerce.number().int().min(1).max(30).default(30),
});

export const limitRoutes: Route[] = [
  ["get", "/api/limits", "What people may use, by role, and how long conversations stay"],
  ["patch", "/api/limits", "Changes them", SharedLimitsBody],
  ["get", "/api/usage", "What one has used and may use; ?everybody=true for admins, ?days="],
];
