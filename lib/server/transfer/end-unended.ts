import type { Chunk } from "@/lib/protocol/chunk";
import { lastText, notRun, openToolCalls } from "@/lib/protocol/history";
import { openCalls } from "@/lib/protocol/open-calls";
import { statusAfter } from "@/lib/protocol/run-status";
import { timeline } from "@/lib/protocol/timeline";
import { cutShort, stoppedNotes, unknownOutcome } from "@/lib/server/loop/end-run";
import { isSaid } from "@/lib/server/loop/steering";
import type { ImportedConversation, ImportedMessage, ImportedRun } from "./imported";
import { BrokenConversation } from "./shape";

/**
 * Events and messages that are read for all such runs of a file together. Each takes the whole of its chain and of its branch:
 * a file of 1 MB may name them so that they take hours.
 */
const maxRead = 2_000_000;

type Ended = Pick<ImportedConversation, "messages" | "leafId"> & { runs: ImportedRun[] };

/**
 * Nothing that ran or waited where a file was made goes on here: such a run ends as after a crash, with what its log holds and a
 * result for each open call. Its new messages are called the same each time, so that the same file brings nothing twice.
 */
export function endUnended(read: Ended): Ended {
  let room = maxRead;
  const count: Count = (items) => {
    room -= items;
    if (room < 0) throw new BrokenConversation("runs: too many of them have not ended.");
  };
  const tree = new Tree(read, count);
  const runs: ImportedRun[] = [];
  const byId = new Map<string, ImportedRun>();
  for (const run of read.runs) {
    const ended = isUnended(run) ? endRun(run, tree, chainOf(run, byId, count)) : run;
    byId.set(run.row.id, ended);
    runs.push(ended);
  }
  return { messages: tree.messages, leafId: tree.leafId, runs };
}

/** Told of what is read; throws when it is too much. */
type Count = (items: number) => void;

const isUnended = ({ row }: ImportedRun): boolean => row.status === "running" || row.status === "waiting";

/** The messages, and where the branch ends that is shown. */
class Tree {
  readonly messages: ImportedMessage[];
  leafId: string | null;
  private readonly byId: Map<string, ImportedMessage>;
  private readonly ofRun = new Map<string, ImportedMessage[]>();

  constructor(
    { messages, leafId }: Ended,
    private readonly count: Count,
  ) {
    this.messages = [...messages];
    this.leafId = leafId;
    this.byId = new Map(messages.map((message) => [message.id, message]));
    for (const message of messages) this.keep(message);
  }

  /** From the first message to this one. */
  history(id: string): ImportedMessage["message"][] {
    const path = new Set<ImportedMessage>();
    // In a file messages may hang on each other in a circle; what writes them opens it.
    for (let at = this.byId.get(id); at && !path.has(at); at = this.byId.get(at.parentId ?? "")) {
      this.count(1);
      path.add(at);
    }
    return [...path].reverse().map(({ message }) => message);
  }

  /** The last message of a run, each of which hangs on the one before. */
  lastOf({ row }: ImportedRun): string {
    let last = row.parentId;
    for (const message of this.ofRun.get(row.id) ?? []) if (message.parentId === last) last = message.id;
    return last;
  }

  append(message: ImportedMessage): void {
    this.messages.push(message);
    this.keep(message);
    this.byId.set(message.id, message);
    if (this.leafId === message.parentId) this.leafId = message.id;
  }

  private keep(message: ImportedMessage): void {
    if (message.runId === undefined) return;
    const known = this.ofRun.get(message.runId);
    if (known) known.push(message);
    else this.ofRun.set(message.runId, [message]);
  }
}

/** What a run and those that it continues have logged. */
function chainOf(run: ImportedRun, known: ReadonlyMap<string, ImportedRun>, count: Count): Chunk[] {
  const logs: ImportedRun[] = [];
  for (let at: ImportedRun | undefined = run; at; at = known.get(at.row.continues ?? "")) {
    count(1 + at.events.length);
    logs.push(at);
  }
  return logs.reverse().flatMap(({ events }) => events.map(({ data }) => data));
}

function endRun(run: ImportedRun, tree: Tree, chain: readonly Chunk[]): ImportedRun {
  const ended = run.row.status === "running" ? endRunning(run, tree, chain) : run;
  return ended.row.status === "waiting" ? endWaiting(ended, tree, chain) : ended;
}

function endRunning({ row, events }: ImportedRun, tree: Tree, chain: readonly Chunk[]): ImportedRun {
  const chunks = events.map(({ data }) => data);
  const at = events.at(-1)?.at ?? row.startedAt;
  const last = chunks.at(-1);
  // Its end was in the log already, and not in the record.
  const { result, added } =
    last?.type === "result"
      ? { result: last.result, added: [] }
      : cutShort(
          row,
          tree.history(row.parentId),
          chunks,
          { open: openCalls(sentIn(chain)), past: chain.filter((chunk) => chunk.type !== "result") },
          { stopReason: "interrupted", notes: stoppedNotes },
        );
  const { historyDelta, finalText, ...rest } = result;
  const said = chunks.filter(isSaid).filter(({ agent }) => agent === undefined);
  let parentId = row.parentId;
  for (const [index, message] of historyDelta.entries()) {
    const id = (message.role === "user" ? said.shift()?.id : undefined) ?? nameOf(row.id, index + 1);
    tree.append({ id, parentId, message, createdAt: at, runId: row.id, model: row.model });
    parentId = id;
  }
  const missing: Chunk[] = last?.type === "result" ? [] : [...added, { type: "result", result }];
  return {
    row: {
      ...row,
      status: statusAfter(result.stopReason),
      endedAt: at,
      iterations: timeline([...chunks, ...added]),
      result: {
        ...rest,
        messages: historyDelta.length,
        ...(finalText !== lastText(historyDelta) && { finalText }),
      },
    },
    events: [
      ...events,
      ...missing.map((data, index) => ({ seq: events.length + index + 1, at, data: { ...data, at } })),
    ],
  };
}

/** Its open calls get a result; whether they were sent, the logs say. */
function endWaiting({ row, events }: ImportedRun, tree: Tree, chain: readonly Chunk[]): ImportedRun {
  const last = tree.lastOf({ row, events });
  const known = openCalls(sentIn(chain));
  const results = openToolCalls(tree.history(last)).map(({ id }) => ({
    ...(known.get(id)?.sent ? unknownOutcome(id, stoppedNotes.unknown) : notRun(id, stoppedNotes.notRun)),
    reason: "cut_short" as const,
  }));
  if (results.length > 0)
    tree.append({
      ...{ id: nameOf(row.id, "end"), parentId: last, runId: row.id, model: row.model },
      message: { role: "tool", results },
      createdAt: row.endedAt ?? row.startedAt,
    });
  const result = row.result && { ...row.result, stopReason: "interrupted" as const };
  return { row: { ...row, status: "interrupted", result }, events };
}

/** "Outcome unknown" answers a call in the history; to the log it was sent and never came back. */
const sentIn = (chunks: readonly Chunk[]): Chunk[] =>
  chunks.filter((chunk) => chunk.type !== "tool_result" || chunk.result.status !== "unknown");

const nameOf = (runId: string, what: number | string): string => `${runId}-${what}`;
