import { FileBody, FileQuery } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { maxFileBody, putFile, showFile } from "@/lib/server/servers/config-file";

export const GET = route({ access: "admin" }, async ({ deps }) => showFile(deps));

export const PUT = route(
  {
    body: FileBody,
    limit: maxFileBody,
    access: "admin",
    audit: ({ request }) =>
      readQuery(request, FileQuery).preview ? undefined : { action: "setup.file_changed" },
  },
  async ({ deps, request, body }) => putFile(deps, body, readQuery(request, FileQuery)),
);
