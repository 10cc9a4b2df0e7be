import { z } from "zod";
import { maxTokenName, tokenScopes } from "@/lib/protocol/api-tokens";
import { line, type Route } from "./fields";

export const ApiTokenBody = z.strictObject({
  name: line(maxTokenName).refine((text) => text !== "", "must not be empty"),
  scopes: z
    .array(z.enum(tokenScopes))
    .min(1, "name at least one: read, chat or admin")
    .max(tokenScopes.length)
    .transform((scopes) => tokenScopes.filter((scope) => scopes.includes(scope))),
  expiresAt: z.iso
    .datetime({ error: "must be a time such as 2030-01-01T00:00:00Z, or null for never" })
    .nullable(),
});

export const apiTokenRoutes: Route[] = [
  ["get", "/api/tokens", "One's own API tokens"],
  ["post", "/api/tokens", "Makes an API token", ApiTokenBody],
  ["delete", "/api/tokens/{id}", "Deletes an API token"],
];
