import { readQuery } from "@/lib/server/body";
import { maxFileBody, putFile, showFile } from "@/lib/server/config-file";
import { FileBody, FileQuery } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";

export const GET = route({}, async ({ deps }) => showFile(deps));

export const PUT = route({ body: FileBody, limit: maxFileBody }, async ({ deps, request, body }) =>
  putFile(deps, body, readQuery(request, FileQuery)),
);
