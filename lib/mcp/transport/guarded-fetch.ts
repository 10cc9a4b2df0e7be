import { lookup as dnsLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, buildConnector } from "undici";
import { beforeMcpSend } from "@/lib/faults/fault-points";
import { type Reach, reachOf } from "./address";
import { assertHeld, isCall, isRenewal, type MayCall } from "./held-calls";
import { leanFetch } from "./lean-fetch";
import { limitBody } from "./limit-body";
import { readOnlyEvent } from "./only-event";

export interface GuardOptions {
  /** `host:port` of private addresses that may be reached; the port `*` allows all ports. */
  allowed: readonly string[];
  /** Resolves a name; by default with the system's resolver. */
  lookup?: (host: string) => Promise<readonly string[]>;
  /** Who reads the errors is not to learn which addresses names have in our own network. */
  isDiscreet?: boolean;
  mayCall?: MayCall | undefined;
  /** Opens the connection to an address that was allowed; tests record them here. */
  connect?: buildConnector.connector;
}

export interface GuardedFetch {
  fetch: typeof fetch;
  close(): Promise<void>;
}

export class ForbiddenAddressError extends Error {
  override name = "ForbiddenAddressError";
  /** `host:port` that a person could allow. */
  constructor(
    message: string,
    readonly privateHost?: string,
  ) {
    super(message);
  }
}

/**
 * A fetch that reaches only public addresses and the private ones that are allowed. Each name is resolved once, all its
 * addresses are checked, and the connection goes to a checked address. Redirects are not followed.
 */
export function createGuardedFetch(options: GuardOptions): GuardedFetch {
  const agent = new Agent({
    connect: guardConnector(options),
    allowH2: false,
    // On the older wire a call holds its connection for as long as its question waits for a person: others must find one.
    connections: 1_024,
    // Callers have their own deadlines; a stream of server messages may be silent for hours.
    headersTimeout: 11 * 60_000,
    bodyTimeout: 0,
  });
  const send = leanFetch(agent, {
    watch: limitBody,
    readWhole: readOnlyEvent,
    beforeSend(body) {
      if (isCall(body) || isRenewal(body)) assertHeld(options.mayCall);
    },
  });
  return {
    fetch: async (input, init) => {
      const url = assertPlainUrl(input instanceof Request ? input.url : input);
      beforeMcpSend?.();
      return send(url, init);
    },
    close: () => agent.destroy(),
  };
}

/** `host:port` in the form of `allowed`. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === "https:" ? "443" : "80")}`;
}

function assertPlainUrl(input: string | URL): URL {
  const url = new URL(input);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new ForbiddenAddressError(`${url.protocol} is not allowed; use http: or https:.`);
  if (url.username || url.password)
    throw new ForbiddenAddressError(
      "A user name or password in the URL is not allowed; use the header Authorization.",
    );
  return url;
}

/** Opens connections to allowed addresses only. */
export function guardConnector({
  allowed,
  lookup = resolveName,
  isDiscreet = false,
  connect,
}: GuardOptions): buildConnector.connector {
  const open = connect ?? buildConnector({ timeout: 10_000, allowH2: false });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, "");
    const port = target.port || (target.protocol === "https:" ? "443" : "80");
    const mayBePrivate = [target.hostname, `[${host}]`].some(
      (name) => allowed.includes(`${name}:${port}`) || allowed.includes(`${name}:*`),
    );
    const resolve = async () => {
      const addresses = isIP(host) ? [host] : await lookup(host);
      for (const address of addresses) {
        const reach = reachOf(address);
        if (reach === "public" || (reach === "private" && mayBePrivate)) continue;
        throw isDiscreet ? new ForbiddenAddressError(discreetRefusal) : refusal(reach, address, host, port);
      }
      if (addresses.length === 0) throw new Error(`${host} has no address.`);
      return addresses;
    };
    // TLS needs the name; the connection goes to the checked addresses, one after another.
    const tryFrom = (addresses: readonly string[], index: number): void => {
      const goOn = index + 1 < addresses.length;
      open(
        { ...target, hostname: addresses[index] ?? host, port, ...servernameOf(target, host) },
        (...[error, socket]: Parameters<buildConnector.Callback>) => {
          if (error && goOn) tryFrom(addresses, index + 1);
          else if (error) callback(error, null);
          else callback(null, socket);
        },
      );
    };
    resolve().then(
      (addresses) => tryFrom(addresses, 0),
      (cause) => callback(cause, null),
    );
  };
}

function servernameOf(
  { protocol, servername }: buildConnector.Options,
  host: string,
): { servername?: string } {
  if (protocol !== "https:") return {};
  const name = servername || (isIP(host) ? undefined : host);
  return name ? { servername: name } : {};
}

const discreetRefusal =
  "A server of your own must have an address of the internet, and so must where it sends us.";

function refusal(reach: Reach, address: string, host: string, port: string): ForbiddenAddressError {
  const isNamed = host !== address;
  if (reach === "private")
    return new ForbiddenAddressError(
      isNamed
        ? `${host} is ${address}, which is a private address. Add ${host}:${port} to PRIVATE_HOSTS if it is meant.`
        : `${host} is a private address. Add ${host}:${port} to PRIVATE_HOSTS if it is meant.`,
      `${host.includes(":") ? `[${host}]` : host}:${port}`,
    );
  return new ForbiddenAddressError(
    isNamed
      ? `${host} is ${address}, which is not an address that may be called.`
      : `${host} is not an address that may be called.`,
  );
}

/** All addresses of a name, from the system's resolver. */
export const resolveName = async (host: string) =>
  (await dnsLookup(host, { all: true, order: "ipv4first" })).map(({ address }) => address);
