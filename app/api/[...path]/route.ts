import { route } from "@/lib/server/entry/route";
import { notFound } from "@/lib/server/http/errors";

const handler = route({}, async () => {
  throw notFound("route");
});

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
