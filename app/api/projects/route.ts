import { PageQuery } from "@/lib/server/contract/fields";
import { ProjectBody } from "@/lib/server/contract/projects";
import { json, route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { addProject, listProjects } from "@/lib/server/projects/projects";

export const GET = route({}, async ({ deps, userId, request }) =>
  listProjects(deps, userId, readQuery(request, PageQuery)),
);

export const POST = route({ body: ProjectBody }, async ({ deps, userId, body }) =>
  json(await addProject(deps, userId, body), 201),
);
