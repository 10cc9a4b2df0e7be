import { z } from "zod";
import { maxTokenName, tokenScopes } from "@/lib/protocol/api-tokens";
import { servers } from "./conversations";
import { line, type Route } from "./fields";

export const ApiTokenBody = z
  .strictObject({
    name: line(maxTokenName).refine((text) => text !== "", "must not be empty"),
    scopes: z
      .array(z.enum(tokenScopes))
      .min(1, "name at least one: read, chat, mcp or admin")
      .max(tokenScopes.length)
      .transform((scopes) => tokenScopes.filter((scope) => scopes.includes(scope))),
    servers: servers.transform((names) => [...new Set(names)]).exactOptional(),
    names: z.enum(["qualified", "plain"]).exactOptional(),
    onApproval: z.enum(["wait", "fail"]).exactOptional(),
    waitMs: z.int().min(1_000).max(3_600_000).exactOptional(),
    expiresAt: z.iso
      .datetime({ error: "must be a time such as 2030-01-01T00:00:00Z, or null for never" })
      .nullable(),
  })
  .refine(({ names, servers }) => names !== "plain" || servers?.length === 1, {
    path: ["names"],
    message: "plain needs exactly one server in servers",
  });

export const apiTokenRoutes: Route[] = [
  ["get", "/api/tokens", "One's own API tokens"],
  ["post", "/api/tokens", "Makes an API token", ApiTokenBody],
  ["get", "/api/tokens/calls", "What programs have called at /mcp in the last 24 hours, by token"],
  ["delete", "/api/tokens/{id}", "Deletes an API token"],
];
