import { isIP } from "node:net";
import { type Reach, reachOf } from "@/lib/mcp/transport/address";
import { hostAndPort, resolveName } from "@/lib/mcp/transport/guarded-fetch";

/** What a server's name resolved to when it was first connected after its approval. */
interface Known {
  reach: Exclude<Reach, "never">;
  /** `host:port`. */
  place: string;
}

const lookupMs = 10_000;

type Lookup = (host: string) => Promise<readonly string[]>;

/**
 * Which approved servers may be reached at private addresses. A name that was public when its server was approved and
 * resolves to a private address later (DNS rebinding) may not, unless `PRIVATE_HOSTS` names it. Stored with the
 * approval, as text: `public api.example:443`.
 */
export class ApprovedReach {
  private readonly byServer = new Map<string, Known>();

  /** `save` stores the text of a server. */
  constructor(
    private readonly save: (server: string) => Promise<void>,
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

  /** `host:port` of the server where it may be a private address, else an empty list. */
  async privateHosts(server: string, url: URL, signal: AbortSignal): Promise<string[]> {
    const place = hostAndPort(url);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // An IP address cannot change: it is what was approved.
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
    await this.save(server);
    return reach;
  }

  /** Empty where there is no answer in time: a lookup cannot be cancelled, and nothing may wait for it. */
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
