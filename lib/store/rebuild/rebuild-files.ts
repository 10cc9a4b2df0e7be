import { statfsSync } from "node:fs";
import { basename } from "node:path";
import { touch } from "@/lib/store/data-dir";
import { StoreError } from "@/lib/store/errors";
import type { Area } from "@/lib/store/migrations/migrations";
import { copyFile } from "./copy-file";
import { inspectFile } from "./inspect-file";
import { Progress } from "./progress";
import { replaceFile, settleFile } from "./replace-file";

export interface RebuildOptions {
  /** Is given a line each few seconds while it takes long. */
  onProgress?: (line: string) => void;
  /** Bytes that the disk of a file has left. */
  freeBytes?: (path: string) => number;
  /** Is told what has been done, so that a test can end the process there. */
  onStep?: (step: string) => void;
}

export interface DatabaseFile {
  path: string;
  area: Area;
}

/**
 * Makes the files, or rebuilds those of an older version into new ones before anything has them open; each old one stays
 * as a copy. Throws a StoreError: `newer_version`, `corrupt`, `data_dir`, or `disk_full` with the old files untouched.
 */
export async function rebuildFiles(
  files: readonly DatabaseFile[],
  { onProgress, freeBytes = freeBytesOf, onStep }: RebuildOptions,
): Promise<void> {
  for (const { path } of files) {
    settleFile(path);
    touch(path);
  }
  const old = files.flatMap((file) => {
    const state = inspectFile(file.path, file.area);
    return state && !state.isNewest ? [{ ...file, ...state, needs: needed(state.bytes) }] : [];
  });
  const needs = old.reduce((sum, file) => sum + file.needs, 0);
  for (const { path } of old) if (freeBytes(path) < needs) throw noRoom(path, needs, freeBytes(path));
  for (const { path, area, version, needs: own } of old) {
    const progress = new Progress(`Upgrading ${basename(path)}`, onProgress);
    const build = async (to: string) => {
      await copyFile({ from: path, to, area, version, progress });
      onStep?.(`${area} built`);
    };
    const tell = (step: string) => {
      progress.at(() => step);
      onStep?.(`${area} ${step}`);
    };
    await replaceFile(path, build, tell).catch((cause: unknown) => {
      if (!(cause instanceof StoreError) || cause.code !== "disk_full") throw cause;
      throw noRoom(path, own, freeBytes(path), cause);
    });
    progress.end();
  }
}

/** The copy, and the journal of what migrations change in it. */
const needed = (bytes: number): number => Math.ceil(bytes * 1.5) + 1024 * 1024;

function freeBytesOf(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

const noRoom = (path: string, needs: number, free: number, cause?: unknown) =>
  new StoreError(
    "disk_full",
    `${path} is of an older version, and rewriting it needs up to ${needs} bytes beside it, of which ${free} are free; free some space on that disk and start again. Nothing was changed.`,
    { cause },
  );
