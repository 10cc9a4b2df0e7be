import { route } from "@/lib/server/entry/route";
import { describeResource } from "@/lib/server/oauth/metadata";

export const GET = route({ access: "public" }, async ({ deps, request }) =>
  describeResource(deps.env, request.headers),
);
