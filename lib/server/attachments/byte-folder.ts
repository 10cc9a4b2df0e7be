/** Where a file can be read before it is kept: a path, or its bytes where there is none. */
export type FileSource = string | Uint8Array;

/** Where attached files lie, by name: a folder of the disk, or memory. */
export interface ByteFolder {
  /** As it comes; gives the number of bytes. What was written of one that fails goes with `remove`. */
  write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number>;
  /** Whole or not at all. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  source(name: string): FileSource;
  rename(from: string, to: string): Promise<void>;
  copy(from: string, to: string): Promise<void>;
  /** To a path elsewhere, where there must be nothing yet. */
  copyOut(name: string, path: string): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Rejects where there is no such file, as `pieces` does. */
  read(name: string): Promise<Buffer>;
  pieces(name: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>;
  names(): Promise<string[]>;
  /** In bytes: what the files take, and what there is room for. */
  usage(): Promise<{ bytes: number; free: number }>;
}
