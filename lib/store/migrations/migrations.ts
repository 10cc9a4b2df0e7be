import type { Kysely } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";
import { addArchivedAndDeleted } from "./add-archived-and-deleted";
import { addCallers } from "./add-callers";
import { addGateway } from "./add-gateway";
import { addHolder } from "./add-holder";
import { addImporter } from "./add-importer";
import { addMatrix } from "./add-matrix";
import { addOwner } from "./add-owner";
import { addPrograms } from "./add-programs";
import { addReasonsToLog, addReasonsToRecords } from "./add-reasons";
import { addRunList } from "./add-run-list";
import { addTokenOptions } from "./add-token-options";
import { addWire } from "./add-wire";
import { chooseLastModels } from "./choose-last-models";
import { createAccounts } from "./create-accounts";
import { createApiToken } from "./create-api-token";
import { createAttachmentBlob } from "./create-attachment-blob";
import { createAudit } from "./create-audit";
import { createDeletions } from "./create-deletions";
import { createDocument } from "./create-document";
import { createHookDelivery } from "./create-hook-delivery";
import { createImports } from "./create-imports";
import { createLease } from "./create-lease";
import { createPasskey } from "./create-passkey";
import { createQueuedMessage } from "./create-queued-message";
import { createRequestContent } from "./create-request-content";
import { createRunCommand } from "./create-run-command";
import { createSchedule } from "./create-schedule";
import { createSearch, markSearch } from "./create-search";
import {
  addChoice,
  addPacked,
  addSharePolicy,
  createAssistant,
  createAttachment,
  createEventJournal,
  createLog,
  createProject,
  createPrompt,
  createRecords,
} from "./create-tables";
import { createUsageDay } from "./create-usage-day";
import { gatherEvents } from "./gather-events";
import { countMessagesOfResults, createRunAnswer } from "./rewrite-runs";
import { tellChanges } from "./tell-changes";

export interface Migration {
  /** 1, 2, 3 …, over both areas. */
  version: number;
  /** Which file of the embedded engine it belongs to; with one database for all, every migration runs in it. */
  area: Area;
  /**
   * The oldest version whose programs go on with the tables that it leaves, beside those of this one: they find all that they read,
   * and what they write is whole. Its own version where none does. CONTRIBUTING.md says what that takes.
   */
  compatibleFrom: number;
  /** `tell` is asked for how far it is, now and then. PostgreSQL came with version 31: no rows are there before it. */
  up(db: Kysely<DB>, tell: (state: () => string) => void, dialect: Dialect): Promise<void>;
}

export type Area = "records" | "log";

/** Programs of these start on no database that a newer one has changed. */
const early: readonly Omit<Migration, "compatibleFrom">[] = [
  { version: 1, area: "records", up: createRecords },
  { version: 2, area: "log", up: createLog },
  { version: 3, area: "records", up: createAttachment },
  { version: 4, area: "records", up: addChoice },
  { version: 5, area: "records", up: addReasonsToRecords },
  { version: 6, area: "log", up: addReasonsToLog },
  { version: 7, area: "records", up: createRunAnswer },
  { version: 8, area: "records", up: countMessagesOfResults },
  { version: 9, area: "log", up: gatherEvents },
  { version: 10, area: "log", up: addPacked },
  { version: 11, area: "log", up: createEventJournal },
  { version: 12, area: "records", up: chooseLastModels },
  { version: 13, area: "records", up: createAssistant },
  { version: 14, area: "records", up: createProject },
  { version: 15, area: "records", up: createQueuedMessage },
  { version: 16, area: "records", up: createPrompt },
  { version: 17, area: "records", up: addArchivedAndDeleted },
  { version: 18, area: "records", up: createSearch },
  { version: 19, area: "records", up: createImports },
  { version: 20, area: "log", up: createRequestContent },
  { version: 21, area: "records", up: addSharePolicy },
  { version: 22, area: "records", up: addRunList },
  { version: 23, area: "records", up: addMatrix },
  { version: 24, area: "log", up: addWire },
  { version: 25, area: "records", up: createAccounts },
  { version: 26, area: "records", up: createAudit },
  { version: 27, area: "records", up: createDeletions },
  { version: 28, area: "records", up: createApiToken },
  { version: 29, area: "records", up: createPasskey },
  { version: 30, area: "records", up: createUsageDay },
  { version: 31, area: "records", up: markSearch },
  { version: 32, area: "records", up: addOwner },
  { version: 33, area: "records", up: createAttachmentBlob },
  { version: 34, area: "records", up: createDocument },
  { version: 35, area: "records", up: createRunCommand },
  { version: 36, area: "records", up: createLease },
  { version: 37, area: "records", up: tellChanges },
  { version: 38, area: "records", up: addHolder },
  { version: 39, area: "records", up: addImporter },
];

/** In order; what has been released is never edited, only followed by a new one. */
export const migrations: readonly Migration[] = [
  ...early.map((migration) => ({ ...migration, compatibleFrom: migration.version })),
  // Older programs would let a token use servers that it is not for.
  { version: 42, area: "records", compatibleFrom: 42, up: addTokenOptions },
  // They would show a conversation that a program has begun among those of its person.
  { version: 43, area: "records", compatibleFrom: 43, up: addGateway },
  { version: 44, area: "records", compatibleFrom: 43, up: addPrograms },
  { version: 45, area: "records", compatibleFrom: 43, up: createSchedule },
  { version: 46, area: "records", compatibleFrom: 43, up: createHookDelivery },
  { version: 47, area: "records", compatibleFrom: 43, up: addCallers },
];
