import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { contentOf, oldFolder, writeOldLog } from "./testing/old-files";
import { endedLog } from "./testing/rows";

/** `npm run kills` asks for 200 of each. */
const rounds = Number(process.env.KILLS ?? 3);
const roundMs = 20_000;

test(
  "after kill -9 at any moment of an upgrade, the next start goes on and everything is there",
  async () => {
    for (let round = 1; round <= rounds; round++) {
      const { dataDir, content } = await oldFolder();
      content.events = endedLog(20_000);
      await writeOldLog(join(dataDir, "run-log.db"), { r1: content.events });
      await killedStart(dataDir, 300 + Math.random() * 1500);
      expect(await contentOf(dataDir)).toEqual(content);
      expect(await contentOf(dataDir)).toEqual(content);
    }
  },
  rounds * roundMs,
);

/** A start of the store that ends so many ms later, where it has not come to its end before. */
async function killedStart(dataDir: string, ms: number): Promise<void> {
  const testing = join(import.meta.dirname, "testing");
  const flags = ["--experimental-transform-types", "--no-warnings", "--import"];
  const child = spawn(
    process.execPath,
    [...flags, join(testing, "run-typescript.ts"), join(testing, "start-store.ts"), dataDir],
    { stdio: ["ignore", "inherit", "inherit"] },
  );
  const exited = once(child, "exit");
  await Promise.race([exited, sleep(ms)]);
  child.kill("SIGKILL");
  await exited;
}
