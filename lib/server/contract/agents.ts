import { z } from "zod";
import type { Route } from "./fields";

const version = z.string().max(100);

/** A text that is too long is told so in the words of the file. */
export const AgentFileBody = z.strictObject({ text: z.string(), version: version.nullable() });

export const AgentFileQuery = z.strictObject({ preview: z.enum(["true", "false"]).optional() });

export const AgentVersionQuery = z.strictObject({ version: version.optional() });

export const agentRoutes: Route[] = [
  ["get", "/api/agents", "Workflow agents"],
  ["get", "/api/agents/{id}/file", "The YAML of a workflow agent, its version and what is wrong with it"],
  [
    "put",
    "/api/agents/{id}/file",
    "Puts a text in the place of the file; ?preview=true only says what it would be",
    AgentFileBody,
  ],
  ["delete", "/api/agents/{id}/file", "Deletes the file; ?version= refuses one that has changed"],
];
