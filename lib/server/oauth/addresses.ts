import type { Env } from "@/lib/server/env";
import { ourOrigins } from "@/lib/server/http/guard";

type Named = Pick<Env, "PORT" | "PUBLIC_URL">;

/** Whether tokens for this resource (RFC 8707) are tokens for `/mcp` here, under whichever of our names. */
export function isOurResource(env: Named, resource: string): boolean {
  const url = URL.parse(resource);
  return (
    url !== null &&
    ourOrigins(env).has(url.origin) &&
    /^\/(mcp\/?)?$/.test(url.pathname) &&
    url.search === "" &&
    url.hash === ""
  );
}

/** Schemes that a browser carries out itself, in place of giving the address to a program. */
const ownSchemes = new Set(
  [
    "javascript",
    "data",
    "vbscript",
    "blob",
    "file",
    "filesystem",
    "about",
    "view-source",
    "intent",
    "ws",
  ].map((name) => `${name}:`),
);

/** Where a code may be sent: https, this machine, or a program's own scheme; nothing that runs in a browser. */
export function isRedirect(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || address.includes("#") || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  if (url.protocol === "http:") return isLoopback(url);
  return !ownSchemes.has(url.protocol) && /^[a-z][a-z\d+.-]*:\/\/?[^/]/i.test(address);
}

/** A registered address letter by letter; on this machine any port, as programs take one that is free. */
export function isRegistered(address: string, registered: readonly string[]): boolean {
  if (registered.includes(address)) return true;
  const bare = withoutPort(address);
  return bare !== undefined && registered.some((one) => withoutPort(one) === bare);
}

function withoutPort(address: string): string | undefined {
  const url = URL.parse(address);
  if (url?.protocol !== "http:" || !isLoopback(url)) return undefined;
  url.port = "";
  return url.href;
}

const isLoopback = ({ hostname }: URL) => ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
