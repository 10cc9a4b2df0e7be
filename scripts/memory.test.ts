import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

/** What a process holds, in MB, while it needs much, and some time after it needs that no more. */
async function heldBy(isBusy: string): Promise<{ full: number; rested: number }> {
  const program = `
    import { collectAtRest } from "./scripts/memory.mjs";
    collectAtRest({ isBusy: ${isBusy}, lookMs: 50 });
    let kept = Array.from({ length: 3_000_000 }, (_, index) => ({ index, text: "text " + index }));
    const held = () => process.memoryUsage.rss() / 1e6;
    const full = held();
    kept = null;
    setTimeout(() => console.log(JSON.stringify({ full, rested: held() })), 2_000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(await text(child.stdout));
}

test("what a load has left is given back once nothing goes on, and not before", async () => {
  const [atRest, busy] = await Promise.all([heldBy("() => false"), heldBy("() => true")]);
  expect(atRest.full - atRest.rested).toBeGreaterThan(150);
  expect(busy.full - busy.rested).toBeLessThan(50);
});
