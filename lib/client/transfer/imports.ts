import { useSyncExternalStore } from "react";
import { refreshConversations } from "@/lib/client/conversation/conversations";
import { ApiError, asApiError } from "@/lib/client/http/http";
import { refreshUsage } from "@/lib/client/settings/usage";
import type { ImportPreview, ImportProgress, ImportResult } from "@/lib/protocol/imports";
import { type ImportedRun, isRunFile, sendRun } from "./run-file";
import { sendImport } from "./send-import";

/** What is known of a chosen file, and what is done with it. */
export type ImportStep =
  /** Its turn comes. */
  | { at: "waiting" }
  | { at: "looking"; sent: number; progress?: ImportProgress }
  | { at: "seen"; preview: ImportPreview; wasStopped: boolean }
  /** `sent`: bytes that the server has. */
  | { at: "importing"; preview: ImportPreview; sent: number; progress: ImportProgress | undefined }
  | { at: "done"; result: ImportResult }
  /** It is the log of a run, of which nothing has to be looked into. */
  | { at: "run" }
  | { at: "sendingRun"; sent: number }
  | { at: "runDone"; run: ImportedRun }
  | { at: "failed"; error: ApiError };

export interface ChosenFile {
  file: File;
  step: ImportStep;
}

/** In the list at a time. */
export const maxFiles = 20;
const maxBytes = 2 * 1024 ** 3;
const path = "/api/conversations/import";
const stopTries = 40;
const stopPauseMs = 500;

let files: readonly ChosenFile[] = [];
let underWay: AbortController | undefined;
const listeners = new Set<() => void>();

/** The chosen files, as long as this page of the browser is open, wherever in the application one is. */
export function useImports(): readonly ChosenFile[] {
  return useSyncExternalStore(subscribe, readImports, () => none);
}

export const readImports = (): readonly ChosenFile[] => files;

const none: readonly ChosenFile[] = [];

export function onImportChange(listener: () => void): () => void {
  return subscribe(listener);
}

/** How many conversations of a file would come, or get more. */
export const countNew = ({ sources }: ImportPreview): number =>
  sources.reduce(
    (sum, { conversations, alreadyHere, leftAlone }) => sum + conversations - alreadyHere - leftAlone,
    0,
  );

/** Looks into files one after the other; one that was chosen already is left out. Returns for how many there is no room. */
export function chooseFiles(chosen: Iterable<File>): number {
  const isNew = (file: File) => !files.some((known) => isSame(known.file, file));
  const added = [...chosen].filter(isNew).map((file): ChosenFile => ({ file, step: firstStep(file) }));
  const all = [...files, ...added];
  publish(all.slice(0, maxFiles));
  void work();
  return Math.max(0, all.length - maxFiles);
}

/** Puts a file away; what has come of it stays. */
export function dropFile(file: File): void {
  const step = stepOf(file);
  publish(files.filter((each) => each.file !== file));
  if (step?.at === "looking" || step?.at === "importing") underWay?.abort();
}

export function dropAll(): void {
  for (const { file } of files) dropFile(file);
}

/** After a failure: looks into it again. */
export function lookAgain(file: File): void {
  change(file, firstStep(file));
  void work();
}

/** Imports what has come out of all files. */
export function startImport(): void {
  for (const { file, step } of files)
    if (step.at === "seen" && countNew(step.preview) > 0)
      change(file, { at: "importing", preview: step.preview, sent: 0, progress: undefined });
  void work();
}

/** Stores the run of a file; null where that failed, which the file then says. */
export async function importRun(file: File): Promise<ImportedRun | null> {
  change(file, { at: "sendingRun", sent: 0 });
  try {
    const run = await sendRun(file, new AbortController().signal, (sent) =>
      change(file, { at: "sendingRun", sent }),
    );
    change(file, { at: "runDone", run });
    void refreshConversations();
    return run;
  } catch (error) {
    change(file, { at: "failed", error: asApiError(error) });
    return null;
  }
}

/** Whole conversations that have come stay; the files are looked into again, which says what is left. */
export function stopImport(): void {
  for (const { file, step } of files) if (step.at === "importing") change(file, { at: "waiting" });
  underWay?.abort();
}

export const isImporting = (list: readonly ChosenFile[]): boolean =>
  list.some(({ step }) => step.at === "importing");

/** One file at a time: first what is to be imported, then what is to be looked into. */
async function work(): Promise<void> {
  if (underWay) return;
  const stopped = new Set<File>();
  for (;;) {
    const next =
      files.find(({ step }) => step.at === "importing") ?? files.find(({ step }) => step.at === "waiting");
    if (!next) return;
    underWay = new AbortController();
    const { file, step } = next;
    try {
      if (step.at === "importing") await bringIn(file, step.preview, underWay.signal);
      else await look(file, underWay.signal, stopped.has(file));
    } catch (error) {
      if (!underWay.signal.aborted) change(file, { at: "failed", error: asApiError(error) });
      else stopped.add(file);
    } finally {
      underWay = undefined;
    }
    if (step.at === "importing") await Promise.all([refreshConversations(), refreshUsage()]);
  }
}

async function look(file: File, signal: AbortSignal, wasStopped: boolean): Promise<void> {
  change(file, { at: "looking", sent: 0 });
  if (await isRunFile(file)) return change(file, { at: "run" });
  const ask = () =>
    sendImport<ImportPreview>({
      ...{ file, path: `${path}?preview=true`, signal },
      onSent: (sent) => change(file, { at: "looking", sent }),
      onProgress: (progress) => change(file, { at: "looking", sent: file.size, progress }),
    });
  const preview = await (wasStopped ? afterStop(ask, signal) : ask());
  change(file, { at: "seen", preview, wasStopped });
}

/** What was stopped ends on the server a little later than here. */
async function afterStop<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  for (let left = stopTries; ; left--)
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || signal.aborted || asApiError(error).code !== "import_running") throw error;
      await new Promise((resolve) => setTimeout(resolve, stopPauseMs));
    }
}

async function bringIn(file: File, preview: ImportPreview, signal: AbortSignal): Promise<void> {
  let sent = 0;
  let progress: ImportProgress | undefined;
  const show = () => {
    if (!signal.aborted) change(file, { at: "importing", preview, sent, progress });
  };
  const result = await sendImport<ImportResult>({
    ...{ file, path, signal },
    onSent(bytes) {
      sent = bytes;
      show();
    },
    onProgress(next) {
      progress = next;
      show();
    },
  });
  change(file, { at: "done", result });
}

const firstStep = ({ size }: File): ImportStep =>
  size <= maxBytes
    ? { at: "waiting" }
    : {
        at: "failed",
        error: new ApiError(
          "too_large",
          "The file is larger than 2 GB; export fewer conversations at once.",
          413,
        ),
      };

const isSame = (a: File, b: File): boolean =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;

const stepOf = (file: File): ImportStep | undefined => files.find((each) => each.file === file)?.step;

function change(file: File, step: ImportStep): void {
  publish(files.map((each) => (each.file === file ? { file, step } : each)));
}

function publish(next: readonly ChosenFile[]): void {
  files = next;
  if (isImporting(files)) window.addEventListener("beforeunload", askBeforeLeaving);
  else window.removeEventListener("beforeunload", askBeforeLeaving);
  for (const listener of listeners) listener();
}

/** Closing the page would stop it. */
function askBeforeLeaving(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
