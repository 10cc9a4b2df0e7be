import { isIP } from "node:net";
import type { PasskeyPlace } from "@/lib/protocol/passkeys";
import type { Env } from "@/lib/server/env";

/**
 * The name that passkeys are bound to, and the origin of its pages. Undefined where there can be none: they belong to the
 * name of a host, never to an address such as 192.0.2.1, and browsers offer them over https alone, or on this machine by the
 * name localhost.
 */
export function passkeySite({
  PORT,
  PUBLIC_URL,
}: Pick<Env, "PORT" | "PUBLIC_URL">): { rpID: string; origin: string } | undefined {
  const { hostname, origin, protocol } = new URL(PUBLIC_URL ?? `http://localhost:${PORT}`);
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  const isSafe = protocol === "https:" || hostname === "localhost";
  return isAddress || !isSafe ? undefined : { rpID: hostname, origin };
}

/** What the page that a browser has opened by this host can do with passkeys. */
export function passkeyPlace(env: Pick<Env, "PORT" | "PUBLIC_URL">, host: string | null): PasskeyPlace {
  const origin = passkeySite(env)?.origin ?? null;
  return { origin, isHere: origin !== null && new URL(origin).host === host?.toLowerCase() };
}
