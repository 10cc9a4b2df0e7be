import { isIP } from "node:net";
import { type Reach, reachOf } from "@/lib/mcp/transport/address";
import { hostAndPort, resolveName } from "@/lib/mcp/transport/guarded-fetch";

/** Where a server was when it was first connected after its approval: `public api.example:443`. */
interface Known {
  reach: Exclude<Reach, "never">;
  place: string;
}

const lookupMs = 10_000;

type Lookup = (host: string) => Promise<readonly string[]>;

/**
 * Whether servers may be reached in our own network. A name that was public when its server was approved, and is a
 * private address later (DNS rebinding), is not: only `PRIVATE_HOSTS` lets it be. Kept beside the approval, as text.
 */
export class KnownPlaces {
  private readonly byServer = new Map<string, Known>();

  /** `keep` stores what was found out. */
  constructor(
    private readonly keep: (server: string) => Promise<void>,
    private readonly lookup: Lookup = resolveName,
  ) {}

  read(server: string, text: string): void {
    const [reach, place] = text.split(" ");
    if ((reach === "public" || reach === "private") && place) this.byServer.set(server, { reach, place });
  }

  text(server: string): string {
    const { reach, place } = this.byServer.get(server) ?? {};
    return reach ? ` ${reach} ${place}` : "";
  }

  forget(server: string): void {
    this.byServer.delete(server);
  }

  /** `host:port` of the server where it may be a private address; else nothing. */
  async privateHosts(server: string, url: URL, signal: AbortSignal): Promise<string[]> {
    const place = hostAndPort(url);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // An address cannot become another one: it is what was approved.
    if (isIP(host)) return [place];
    const known = this.byServer.get(server);
    const reach = known?.place === place ? known.reach : await this.find(server, host, place, signal);
    return reach === "private" ? [place] : [];
  }

  private async find(
    server: string,
    host: string,
    place: string,
    signal: AbortSignal,
  ): Promise<Known["reach"] | undefined> {
    const addresses = await this.addressesOf(host, signal);
    if (addresses.length === 0) return undefined;
    const reach = addresses.every((address) => reachOf(address) === "public") ? "public" : "private";
    this.byServer.set(server, { reach, place });
    await this.keep(server);
    return reach;
  }

  /** None where there is no answer in time: a lookup cannot be stopped, and nothing may wait for it. */
  private addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(lookupMs)]);
    return new Promise((resolve) => {
      const giveUp = () => resolve([]);
      this.lookup(host).then(resolve, giveUp);
      if (limit.aborted) giveUp();
      else limit.addEventListener("abort", giveUp, { once: true });
    });
  }
}
