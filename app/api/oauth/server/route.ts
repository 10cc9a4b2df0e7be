import { route } from "@/lib/server/entry/route";
import { describeServer } from "@/lib/server/oauth/metadata";

export const GET = route({ access: "public" }, async ({ deps, request }) =>
  describeServer(deps.env, request.headers),
);
