import type { ExportFiles } from "./export-files";
import type { ImportedFile } from "./imported";
import type { JsonObject, LeftOuts } from "./shape";

/** A node of `mapping`. */
export interface ChatGptNode {
  id: string;
  parentId: string | null;
  createdAt: number;
  message: JsonObject;
}

/** What the parts of a conversation are put into while it is read. */
export interface ChatGptContext {
  entries: ExportFiles;
  left: LeftOuts;
  /** By their ids. */
  files: Map<string, ImportedFile>;
  /** What messages say of the files that they name, by the ids of these. */
  attachments: Map<string, JsonObject>;
}
