import type { FileMessage } from "@/lib/protocol/conversation-file";
import { type RunFileHeader, runFileVersion } from "@/lib/protocol/run-file";
import { completeLog } from "@/lib/server/loop/stored-run";
import { version } from "@/lib/server/version";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { type ExportDeps, eventsOf } from "./conversation-json";
import { answerFile, type Pieces } from "./file-answer";
import { fileName } from "./file-name";

/** A run with its log as JSON lines, as far as it was when the request came. */
export async function exportRun(deps: ExportDeps, row: RunRow): Promise<Response> {
  const title = (await deps.store.conversations.get(row.userId, row.conversationId))?.title ?? "";
  await completeLog(deps, row);
  const last = await deps.store.log.lastSeq(row.id);
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  return answerFile(
    { log: deps.log, slots: deps.files.exports },
    {
      name: fileName(title || "run", "ndjson"),
      type: "application/x-ndjson; charset=utf-8",
      pieces: runLines(deps, row, { title, last, rows }),
    },
  );
}

interface Told {
  title: string;
  last: number;
  rows: readonly MessageRow[];
}

async function* runLines(deps: ExportDeps, row: RunRow, { title, last, rows }: Told): Pieces {
  const { isImported: _, ...options } = row.options;
  const head: Omit<RunFileHeader, "history"> = {
    meguri: "run",
    version: runFileVersion,
    app: version,
    conversation: { id: row.conversationId, title },
    run: {
      ...{ id: row.id, messageId: row.messageId, parentId: row.parentId },
      ...{ model: row.model, agent: row.agent, continues: row.continues },
      startedAt: new Date(row.startedAt).toISOString(),
      options,
    },
    events: last,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"history":[`;
  for (const [at, message] of rows.entries())
    yield `${at === 0 ? "" : ","}${JSON.stringify(toFileMessage(message))}`;
  yield "]}\n";
  for await (const event of eventsOf(deps, { id: row.id, lastSeq: last, told: new Set() }))
    yield `${JSON.stringify(event)}\n`;
}

/** `runId` says of the words of a person that they were said into a run, and are no question. */
const toFileMessage = ({ id, parentId, createdAt, runId, model, message }: MessageRow): FileMessage => ({
  ...{ id, parentId, createdAt: new Date(createdAt).toISOString() },
  ...(runId !== null && { runId }),
  ...(model !== null && { model }),
  message,
});
