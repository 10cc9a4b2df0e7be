import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { openConversation } from "@/lib/server/conversations/open-conversation";
import { HttpError } from "@/lib/server/http/errors";
import { checkHost, checkSession } from "@/lib/server/http/guard";
import { getDeps } from "./deps";

/** A store that is slow keeps no page waiting, which shows then that it loads. */
const maxWaitMs = 1_000;

/**
 * A conversation for the page that shows it, or null: then the page asks for it, and says what is wrong. Only where our own
 * page or a typed address has led here, as for a request of the page itself; a temporary chat stands in no page.
 */
export async function readForPage(headers: Headers, id: string): Promise<OpenedConversation | null> {
  const site = headers.get("sec-fetch-site");
  if (isTemporaryId(id) || (site !== "same-origin" && site !== "none")) return null;
  const deps = await getDeps();
  const { promise: isLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, maxWaitMs, null);
  try {
    checkHost(headers, deps);
    const { id: userId } = await checkSession(headers, deps);
    return await Promise.race([openConversation(deps, userId, id), isLate]);
  } catch (cause) {
    // The page asks for it then, and its answer says what is wrong.
    if (!(cause instanceof HttpError))
      deps.log.error({ err: cause }, "a conversation could not be read for its page");
    return null;
  } finally {
    clearTimeout(timer);
  }
}
