import { route } from "@/lib/server/entry/route";
import { notFound } from "@/lib/server/http/errors";
import { findServer } from "@/lib/server/servers/servers";

export const GET = route({}, async ({ deps, params }) => {
  const icon = await deps.pool.icon(findServer(deps, params.name).name);
  if (!icon) throw notFound("icon");
  return new Response(icon.bytes, {
    headers: {
      "Content-Type": icon.mediaType,
      "Cache-Control": "private, max-age=3600",
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "X-Content-Type-Options": "nosniff",
    },
  });
});
