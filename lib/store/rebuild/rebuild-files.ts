import { statfsSync } from "node:fs";
import { basename } from "node:path";
import { touch } from "@/lib/store/data-dir";
import { StoreError } from "@/lib/store/errors";
import type { Area } from "@/lib/store/migrations/migrations";
import { copyFile } from "./copy-file";
import { type FileState, inspectFile } from "./inspect-file";
import { Progress } from "./progress";
import { buildFile, dropBuilt, placeFile, settleFile } from "./replace-file";

export interface RebuildOptions {
  /** Is given a line each few seconds while it takes long. */
  onProgress?: (line: string) => void;
  /** Bytes that the disk of a file has left. */
  freeBytes?: (path: string) => number;
  /** Refuses files of a newer version even where this one can go on with them. */
  isExact?: boolean | undefined;
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
  { onProgress, freeBytes = freeBytesOf, isExact, onStep }: RebuildOptions,
): Promise<void> {
  for (const { path } of files) {
    settleFile(path);
    touch(path);
  }
  const old = files.flatMap((file) => {
    const state = inspectFile(file.path, file.area, isExact);
    return state && !state.isNewest ? [{ ...file, ...state, needs: needed(state.bytes) }] : [];
  });
  const needs = old.reduce((sum, file) => sum + file.needs, 0);
  for (const { path } of old) if (freeBytes(path) < needs) throw noRoom(path, needs, freeBytes(path));
  try {
    for (const file of old) {
      const progress = new Progress(`Upgrading ${basename(file.path)}`, onProgress);
      await build(file, progress).catch((cause: unknown) => {
        throw isFull(cause) ? noRoom(file.path, needs, freeBytes(file.path), cause) : cause;
      });
      onStep?.(`${file.area} built`);
    }
  } catch (cause) {
    for (const { path } of old) dropBuilt(path);
    throw cause;
  }
  // Only now: with one file of the new version and one of the old neither version could start.
  for (const { path, area } of old) placeFile(path, (step) => onStep?.(`${area} ${step}`));
}

async function build({ path, ...file }: DatabaseFile & FileState, progress: Progress): Promise<void> {
  await buildFile(path, (to) => copyFile({ ...file, from: path, to, progress }));
  progress.end();
}

/** What comes of a file of ours or of one of SQLite. */
const isFull = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "disk_full" || cause.code === "ENOSPC" || cause.code === "EDQUOT" || isFull(cause.cause));

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
