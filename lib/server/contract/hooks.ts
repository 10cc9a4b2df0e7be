import { z } from "zod";
import { hookEvents, maxHookUrl } from "@/lib/protocol/hooks";
import { EmptyBody, type Route } from "./fields";

const fields = {
  url: z.string().trim().min(1).max(maxHookUrl),
  events: z
    .array(z.enum(hookEvents))
    .min(1, "name at least one: run.completed, run.failed or run.waiting")
    .max(hookEvents.length)
    .transform((events) => hookEvents.filter((event) => events.includes(event))),
};

export const HookBody = z.strictObject(fields);

export const HookPatch = z.strictObject({
  url: fields.url.exactOptional(),
  events: fields.events.exactOptional(),
  enabled: z.boolean().exactOptional(),
});

export const hookRoutes: Route[] = [
  ["get", "/api/hooks", "One's own hooks: addresses that are told of runs"],
  ["post", "/api/hooks", "Adds a hook; its secret is in this answer alone", HookBody],
  ["patch", "/api/hooks/{id}", "Changes a hook, or switches it on or off", HookPatch],
  ["delete", "/api/hooks/{id}", "Deletes a hook with its deliveries"],
  ["post", "/api/hooks/{id}/test", "Sends a test to a hook", EmptyBody],
  ["get", "/api/hooks/{id}/deliveries", "What a hook was told and is to be told, newest first"],
  ["post", "/api/hooks/{id}/deliveries/{messageId}", "Sends a delivery again", EmptyBody],
];
