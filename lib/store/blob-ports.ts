/**
 * The bytes of attached files in the database, in parts 0, 1, 2 … under a name that begins with the id of its attachment and a
 * dot, or is that id. Several processes may use them at once. Each call is a transaction of its own and waits for no writer of
 * records. Failures are StoreErrors, as those of `Store` are.
 */
export interface Blobs {
  /** At most 1 MB. `duplicate` when the file has such a part, `not_found` when the part before it is gone: the file was deleted while it was being written. */
  add(name: string, part: number, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is none. */
  read(name: string, part: number): Promise<{ bytes: Buffer<ArrayBuffer>; isLast: boolean } | undefined>;
  has(name: string): Promise<boolean>;
  /** Takes the place of what has the new name. `not_found` where there is no such file, and nothing is changed. */
  rename(from: string, to: string): Promise<void>;
  /** The same. */
  copy(from: string, to: string): Promise<void>;
  /** Nothing happens when there is none. */
  delete(names: readonly string[]): Promise<void>;
  /** Of all files together. */
  bytes(): Promise<number>;
  /** Deletes what no attachment has and nobody has written to for a day: the rest of uploads and deletions that were cut short. */
  sweep(): Promise<void>;
}
