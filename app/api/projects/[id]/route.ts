import { ProjectDeletion, ProjectPatch } from "@/lib/server/contract/projects";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { patchProject, readProject, removeProject } from "@/lib/server/projects/projects";

export const GET = route({}, async ({ deps, userId, params }) => readProject(deps, userId, params.id));

export const PATCH = route({ body: ProjectPatch }, async ({ deps, userId, params, body }) =>
  patchProject(deps, userId, params.id, body),
);

export const DELETE = route({}, async ({ deps, userId, params, request }) =>
  removeProject(deps, userId, params.id, readQuery(request, ProjectDeletion)),
);
