import { statfs } from "node:fs/promises";
import type { DiskState } from "@/lib/protocol/data";
import type { BaseDeps } from "./base-deps";

const everyMs = 60_000;
const megabyte = 1_000_000;
/** Of the whole disk, within these bounds: on a small one answers still end, and a large one is not told of too soon. */
const lowShare = 0.05;
const [leastLow, mostLow] = [500 * megabyte, 10_000 * megabyte];

/** Whether the disk of DATA_DIR is filling up: told before it is full, while everything can still be stored. */
export class DiskRoom {
  private timer: NodeJS.Timeout | undefined;
  private last: DiskState = "ok";

  constructor(
    private readonly dataDir: string,
    private readonly log: Pick<BaseDeps["log"], "warn" | "info">,
    /** Of the disk of a folder. */
    private readonly look: (path: string) => Promise<{ free: number; size: number }> = lookAtDisk,
  ) {}

  /** Looks each minute from now on, so that the log tells of it where nobody asks. */
  start(): void {
    this.timer = setInterval(() => void this.state(), everyMs).unref();
    void this.state();
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** What it is now; the log is told once of each change. A disk that cannot be asked counts as it did before. */
  async state(): Promise<DiskState> {
    const room = await this.look(this.dataDir).catch(() => undefined);
    if (!room) return this.last;
    const { free, size } = room;
    const state = free < Math.min(mostLow, Math.max(leastLow, size * lowShare)) ? "low" : "ok";
    if (state !== this.last) {
      if (state === "low")
        this.log.warn({ free, size }, "the disk of DATA_DIR is almost full; free some space");
      else this.log.info({ free, size }, "the disk of DATA_DIR has room again");
    }
    this.last = state;
    return state;
  }
}

async function lookAtDisk(path: string): Promise<{ free: number; size: number }> {
  const { bavail, blocks, bsize } = await statfs(path);
  return { free: bavail * bsize, size: blocks * bsize };
}
