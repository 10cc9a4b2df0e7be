import { LoginNeededError } from "./types";

/** Throws for an address that no browser may be sent to; allows plain http only for `host:port` that may be private. */
export function assertPage(page: URL, allowed: readonly string[]): void {
  const { protocol, hostname, port, username, password } = page;
  const isNamed = [`${hostname}:${port || "80"}`, `${hostname}:*`].some((place) => allowed.includes(place));
  if (username || password || !(protocol === "https:" || (protocol === "http:" && isNamed)))
    throw new LoginNeededError(
      `The server names a sign-in page that cannot be opened: ${protocol}//${page.host}. It has to begin with https: and contain no user name.`,
    );
}
