import { readQuery } from "@/lib/server/body";
import { maxFileBody, putFile, showFile } from "@/lib/server/config-file";
import { FileBody, FileQuery } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps }) => showFile(deps));

export const PUT = route({ body: FileBody, limit: maxFileBody }, async ({ deps, userId, request, body }) =>
  putFile(deps, userId, body, readQuery(request, FileQuery)),
);
