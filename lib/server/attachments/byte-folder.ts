/** Where a file can be read before it is kept: its path, or its bytes in pieces, which come anew each time, where it has none. */
export type FileSource = string | { size: number; pieces(): AsyncIterable<Uint8Array> };

/**
 * Where attached files lie, by name: a folder of the disk, the database, or memory. A name is the id of an attachment, and may
 * have an ending.
 */
export interface ByteFolder {
  /** As it comes; gives the number of bytes. What was written of one that fails goes with `remove`. */
  write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number>;
  /** Whole or not at all. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Of a file that is there, with its size in bytes. */
  source(name: string, size: number): FileSource;
  /** Takes the place of what has the new name, as `copy` does; both reject where there is no such file. */
  rename(from: string, to: string): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  /** To a path elsewhere, where there must be nothing yet. */
  copyOut(name: string, path: string): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Rejects where there is no such file, as `pieces` does. */
  read(name: string): Promise<Buffer>;
  pieces(name: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Nothing happens when there is none. */
  remove(names: readonly string[]): Promise<void>;
  /** Removes what is of none of these ids, unless another process may be writing it just now. */
  sweep(known: ReadonlySet<string>): Promise<void>;
  /** In bytes: what the files take, and, where that can be known, what there is room for. */
  usage(): Promise<{ bytes: number; free?: number }>;
}

/** The attachment that a file is of. */
export const idOf = (name: string): string => name.replace(/\.(txt|part|txt\.part)$/, "");
