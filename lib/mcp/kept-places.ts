import { join } from "node:path";
import { FileDocument } from "./config/file-document";
import { SharedDocument } from "./config/shared-document";
import { SharedChanges, type SharedDocuments } from "./config/shared-documents";
import type { TextDocument } from "./config/text-document";
import { LockInFile } from "./definitions/lock-in-file";
import type { LockPlace } from "./definitions/lock-place";
import { type PersonalPlaces, PinFolder } from "./definitions/pin-folder";
import { SharedLock } from "./definitions/shared-lock";
import { SharedPins } from "./definitions/shared-pins";
import type { PoolOptions } from "./mcp-pool";

/** Where entries and accepted definitions are kept: in files, or where several instances share them. */
export interface KeptPlaces {
  document: TextDocument;
  lock: LockPlace;
  personal: PersonalPlaces;
  /** Undefined where nobody else changes anything. */
  changes: SharedChanges | undefined;
}

const names = { servers: "mcp-servers", lock: "mcp-servers.lock" };

/**
 * Puts the files of an installation into shared documents, as its first start on them would: entries, what is accepted of
 * their tools, and what each person has accepted. Gives how many there are. Throws for one that cannot be read.
 */
export async function plantDocuments(
  options: Pick<PoolOptions, "configPath"> & { dataDir: string; documents: SharedDocuments },
): Promise<number> {
  const folder = new PinFolder(join(options.dataDir, "pins"), () => {});
  const warn = (message: string): never => {
    throw new Error(message);
  };
  const places = keptPlaces(
    { ...options, isManaged: false, log: (_level, message) => warn(message) },
    { look: async () => {}, pinned: () => {} },
  );
  await places.document.read();
  for (const lock of [
    places.lock,
    ...(await folder.people()).map((each) => places.personal.placeOf(each, () => {})),
  ]) {
    await lock.load();
    lock.close();
  }
  return (await options.documents.names(names.servers)).length;
}

export function keptPlaces(
  {
    configPath,
    dataDir,
    documents,
    isManaged,
    log,
  }: Pick<PoolOptions, "configPath" | "documents" | "isManaged" | "log"> & { dataDir: string },
  on: {
    /** Reads what else other instances may have changed. */
    look(): Promise<void>;
    /** Another instance has accepted or blocked something. */
    pinned(): void;
  },
): KeptPlaces {
  const warn = (message: string) => log("warn", message);
  const file = new FileDocument(configPath);
  const lockPath = `${configPath.replace(/\.json$/, "")}.lock.json`;
  const folder = new PinFolder(join(dataDir, "pins"), warn);
  if (!documents)
    return { document: file, lock: new LockInFile(lockPath, warn), personal: folder, changes: undefined };
  const changes = new SharedChanges(documents, { before: on.look, warn });
  return {
    changes,
    document: isManaged ? file : new SharedDocument(names.servers, file, changes),
    lock: new SharedLock({ name: names.lock, seed: lockPath, changes, warn, onChange: on.pinned }),
    personal: new SharedPins(`${names.lock}:`, folder, changes, warn),
  };
}
