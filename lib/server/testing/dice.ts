import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** The next of a row of numbers from 0 to 1. */
export type Dice = () => number;

/** The same seed gives the same row (mulberry32). */
export function rollFrom(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** For a store of which processes are killed. A kill keeps what was written, to whatever disk: only a power cut needs a real one. */
export function fastDir(): string {
  const memory = "/dev/shm";
  const path = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), "meguri-walk-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
