import type { Readable } from "node:stream";

/** The files beside the JSON: those of the archive, or none. */
export interface ExportFiles {
  /** By its name inside of the archive, or by the last part of that. */
  named(name: string): ExportEntry | undefined;
  /** The one whose name begins with the id that ChatGPT gives a file. */
  withId(id: string): ExportEntry | undefined;
  /** Base64 that stands in the file itself, from `start` to before `end`, as bytes. */
  inside?(start: number, end: number): Readable;
}

export interface ExportEntry {
  name: string;
  /** Bytes. */
  size: number;
  open(): Promise<Readable>;
}
