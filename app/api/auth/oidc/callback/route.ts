import { requireOidc } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";
import { hasLaunchToken } from "@/lib/server/http/guard";
import { forgetOpener } from "@/lib/server/http/sessions";

/** Where the identity provider sends people back to; the answer leads into the application, or to the page that says why not. */
export const GET = route({ access: "sign-in", navigation: true }, async ({ deps, request }) => {
  const mayFound = await hasLaunchToken(request.headers, deps);
  const { response, founded } = await requireOidc(deps).finish(request, mayFound);
  const former = founded ? await forgetOpener(deps, request) : undefined;
  if (former) response.headers.append("set-cookie", former);
  return response;
});
