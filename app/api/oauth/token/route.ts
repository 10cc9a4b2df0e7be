import { TokenForm } from "@/lib/server/contract/oauth";
import { route } from "@/lib/server/entry/route";
import { readForm } from "@/lib/server/http/body";
import { exchange } from "@/lib/server/oauth/exchange";
import { refuseOAuth } from "@/lib/server/oauth/refuse";

/** Bytes of the form. */
const maxForm = 32_000;

export const POST = route({ access: "public", refuse: refuseOAuth }, async ({ deps, request }) =>
  exchange(deps, await readForm(request, TokenForm, maxForm)),
);
