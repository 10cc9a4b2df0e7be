import { isOwnNetwork } from "@/lib/mcp/transport/address";
import { hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";
import type { Person } from "@/lib/server/http/guard";

/**
 * The address in its usual form; 400 where it cannot be one. Where its name leads is looked at each time that it is called: what is
 * told here early is only what is written.
 */
export function checkHookUrl(
  { PRIVATE_HOSTS, MEMBERS_PRIVATE_HOSTS }: Pick<BaseDeps["env"], "PRIVATE_HOSTS" | "MEMBERS_PRIVATE_HOSTS">,
  { role }: Pick<Person, "role">,
  text: string,
): string {
  const url = URL.parse(text);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new HttpError(
      ...refused,
      "url: write a whole address, for example https://example.com/meguri.",
      details,
    );
  if (url.username || url.password)
    throw new HttpError(
      ...refused,
      "url: leave out the user name and the password; each delivery is signed.",
      details,
    );
  const allowed = role === "admin" ? PRIVATE_HOSTS : MEMBERS_PRIVATE_HOSTS;
  const place = hostAndPort(url);
  const isAllowed = allowed.includes(place) || allowed.includes(`${url.hostname}:*`);
  if (isOwnNetwork(url) && !isAllowed)
    throw new HttpError(
      ...refused,
      role === "admin"
        ? `url: ${url.hostname} is a private address. Add ${place} to PRIVATE_HOSTS if it is meant.`
        : "url: it must be an address of the internet, unless an admin has allowed it.",
      details,
    );
  if (url.protocol === "http:" && !isAllowed)
    throw new HttpError(...refused, "url: use https:, so that nobody reads along on the way.", details);
  url.hash = "";
  return url.href;
}

const refused = [400, "invalid_input"] as const;
/** The field of a form that it is said at. */
const details = { issues: [{ path: "url" }] };
