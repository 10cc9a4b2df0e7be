import { z } from "zod";
import { projectLimits } from "@/lib/protocol/projects";
import { servers } from "./conversations";
import { id, instructions, line, type Route, visible } from "./fields";

const fields = {
  name: line(projectLimits.name).refine((text) => text !== "", "must not be empty"),
  instructions: visible(instructions),
  files: z.array(id).max(projectLimits.files),
  servers,
};

/** Of all projects of one person; a list of them is read whole by the page. */
export const projectQuota = { count: 200, bytes: 2_000_000 };

export const ProjectBody = z.strictObject({
  name: fields.name,
  instructions: fields.instructions.default(""),
  assistant: id.optional(),
  files: fields.files.default([]),
  servers: fields.servers.optional(),
});

/** null takes back what a project need not have. Files that come and go leave those alone that somebody else has added since. */
export const ProjectPatch = z.strictObject({
  name: fields.name.optional(),
  instructions: fields.instructions.optional(),
  assistant: id.nullable().optional(),
  files: fields.files.optional(),
  addFiles: fields.files.optional(),
  removeFiles: fields.files.optional(),
  servers: fields.servers.nullable().optional(),
});

export const ProjectDeletion = z.strictObject({ conversations: z.enum(["keep", "delete"]).optional() });

export const projectRoutes: Route[] = [
  ["get", "/api/projects", "The projects, newest first"],
  ["post", "/api/projects", "Makes a project", ProjectBody],
  ["get", "/api/projects/{id}", "One project with what is known of its files"],
  ["patch", "/api/projects/{id}", "Changes a project", ProjectPatch],
  [
    "delete",
    "/api/projects/{id}",
    "Deletes a project and its files; ?conversations=keep|delete where it has some",
  ],
];
