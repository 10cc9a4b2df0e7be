import type { Launch } from "@/lib/mcp/config/launch";
import { runsPackage } from "@/lib/mcp/faults/start-limit";
import { ProcessLimit } from "./process-limit";

/** Opening one costs a look-up, a handshake and a listing, which a server may draw out for 20 s. */
const maxOpening = { ofAll: 32, ofOne: 4 };

/** How many connections are being opened at once for all people. */
export class OpenLimits {
  private readonly all = new ProcessLimit(maxOpening.ofAll);
  /** By the form of an entry that was approved; empty once it has been started, as it is on this machine then. */
  private readonly downloads = new Map<string, readonly ProcessLimit[]>();

  /** What bounds the opening of each connection of one more person. */
  ofPerson(): (hash: string, launch: Launch) => readonly ProcessLimit[] {
    const remote = [new ProcessLimit(maxOpening.ofOne), this.all];
    // A process that is downloaded first takes minutes, and must not keep remote servers of others waiting.
    return (hash, launch) =>
      launch.kind === "http" ? remote : runsPackage(launch) ? this.download(hash) : [];
  }

  onStarted(hash: string): void {
    if (this.downloads.has(hash)) this.downloads.set(hash, []);
  }

  /** Of many people one downloads a package: `npx` of two at once can leave half of it in the folder that they share. */
  private download(hash: string): readonly ProcessLimit[] {
    const limits = this.downloads.get(hash) ?? [new ProcessLimit(1)];
    this.downloads.set(hash, limits);
    return limits;
  }
}
