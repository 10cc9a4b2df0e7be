import { route } from "@/lib/server/entry/route";
import { HttpError } from "@/lib/server/http/errors";
import { refuse } from "@/lib/server/openai/errors";

const handler = route({ access: "program", scope: "chat", refuse }, async () => {
  throw new HttpError(
    404,
    "not_found",
    "There is no such address; GET /v1/models, POST /v1/chat/completions and POST /v1/responses are what there is.",
  );
});

export { handler as DELETE, handler as GET, handler as PATCH, handler as POST, handler as PUT };
