import { join } from "node:path";
import type { Env } from "@/lib/server/env";

interface Moved {
  env: Env;
  /** By APP_SECRET; it is in the file of the folder otherwise. */
  isSecretGiven: boolean;
  /** By table. */
  rows: ReadonlyMap<string, number>;
  documents: number;
  /** How many attachments have a file, and how many have none. */
  files: { found: number; missing: number };
  /** Runs that were ended because a crash had cut them short. */
  interrupted: number;
}

/** What was done and what to do next. No secret is printed, and no address with a password. */
export function movedLines({ env, isSecretGiven, rows, documents, files, interrupted }: Moved): string[] {
  const { DATA_DIR: dataDir } = env;
  return [
    `${dataDir} is in PostgreSQL now: ${countsOf(rows)}, ${files.found} attached files and ${documents} documents about MCP servers.`,
    "Every table there was compared with the folder before anything was committed: the same number of rows, and the same hash.",
    ...(interrupted > 0 ? [`${interrupted} runs that had been cut short have ended as interrupted.`] : []),
    ...(files.missing > 0 ? [`${files.missing} attachments had no file in the folder any more.`] : []),
    "The folder is kept. As long as nothing was written in the new place, it is the way back: start without DATABASE_URL.",
    "Next, start each instance with these variables:",
    "  DATABASE_URL  the one that this was moved to",
    `  DATA_DIR      another folder than ${dataDir}, one for each instance, empty at first`,
    ...secretLines(env, isSecretGiven),
    "  PUBLIC_URL    the address that people type",
  ];
}

function secretLines({ DATA_DIR, AUTH, LAUNCH_TOKEN }: Env, isSecretGiven: boolean): string[] {
  const path = JSON.stringify(join(DATA_DIR, "secrets.json"));
  const inFile = (name: string) =>
    `what this prints: node -p 'JSON.parse(fs.readFileSync(${path}, "utf8")).${name}'`;
  const secret = isSecretGiven ? "the same as now" : inFile("appSecret");
  const token = LAUNCH_TOKEN === undefined ? inFile("launchToken") : "the same as now";
  return [`  APP_SECRET    ${secret}`, ...(AUTH === "local" ? [`  LAUNCH_TOKEN  ${token}`] : [])];
}

/** What would be moved. */
export const tryLines = (dataDir: string, rows: ReadonlyMap<string, number>, isNewest: boolean): string[] => [
  `${dataDir} can be moved: ${countsOf(rows)}. The database is empty.`,
  ...(isNewest
    ? []
    : [
        "The folder is of an older version: the move brings it to this one first, and keeps a copy beside it.",
      ]),
  "Nothing was changed. Run this again without --dry-run.",
];

function countsOf(rows: ReadonlyMap<string, number>): string {
  const count = (table: string) => rows.get(table) ?? 0;
  const all = [...rows.values()].reduce((sum, each) => sum + each, 0);
  return `${count("conversation")} conversations, ${count("message")} messages, ${count("run")} runs, ${count("account_user")} accounts (${all} rows in ${rows.size} tables)`;
}
