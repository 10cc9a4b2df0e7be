"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { v7 as newId } from "uuid";
import { maxFileBytes, maxFiles } from "@/lib/client/conversation/attachments";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { keepsDrafts, newTemporary, readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import { ApiError, asApiError } from "@/lib/client/http/http";
import type { StoredFile } from "@/lib/protocol/message";
import { useDropping } from "./use-dropping";

/** A file beside the message that is being written. */
export interface DraftFile {
  key: string;
  name: string;
  size: number;
  mediaType: string;
  /** 0 to 1 while it is on its way. */
  progress: number;
  stored: StoredFile | null;
  /** Why it is not attached: a sentence of the server, or `too_large`, `too_many`. */
  failure: { code: string; message: string } | null;
}

export interface Attachments {
  items: readonly DraftFile[];
  /** Nothing is on its way any more. */
  ready: boolean;
  /** Files are held over the page. */
  dropping: boolean;
  add(files: Iterable<File>): void;
  remove(key: string): void;
  onPaste(event: React.ClipboardEvent): void;
  /** Gives what can be sent, and clears the list. */
  take(): StoredFile[];
  putBack(files: readonly StoredFile[]): void;
}

/** The files of a message that was not sent yet; those that the server has outlive a reload, as the text does. */
export function useAttachments(chat: ChatStore, id: string | null): Attachments {
  const [items, setItems] = useKept(chat, id);
  const aborts = useRef(new Map<string, AbortController>());
  const change = useCallback(
    (key: string, patch: Partial<DraftFile>) =>
      setItems((before) => before.map((item) => (item.key === key ? { ...item, ...patch } : item))),
    [setItems],
  );
  const send = useCallback(
    async (key: string, file: File) => {
      const abort = new AbortController();
      aborts.current.set(key, abort);
      try {
        const { uploadFile } = await lateUpload();
        const {
          id: attachmentId,
          name,
          mimeType,
          size,
        } = await uploadFile(file, (progress) => change(key, { progress }), abort.signal, !keepsDrafts(id));
        const stored: StoredFile = { type: "file", mediaType: mimeType, attachmentId, size, name };
        change(key, { stored, mediaType: mimeType, name, progress: 1 });
      } catch (cause) {
        const { code, message } = asApiError(cause);
        if (!abort.signal.aborted) change(key, { failure: { code, message } });
      } finally {
        aborts.current.delete(key);
      }
    },
    [change, id],
  );
  const add = useCallback(
    (files: Iterable<File>) => {
      const fresh = [...files].map((file) => ({ file, draft: toDraft(file) }));
      setItems((before) => [
        ...before,
        ...fresh.map(({ draft }, at) => {
          if (before.filter(({ failure }) => !failure).length + at < maxFiles) return draft;
          return { ...draft, failure: { code: "too_many", message: "" } };
        }),
      ]);
      for (const { file, draft } of fresh.slice(0, maxFiles)) if (!draft.failure) void send(draft.key, file);
    },
    [setItems, send],
  );
  const dropping = useDropping(add);
  return {
    items,
    ready: items.every(({ stored, failure }) => stored || failure),
    dropping,
    add,
    remove: (key) => {
      aborts.current.get(key)?.abort();
      setItems((before) => before.filter((item) => item.key !== key));
    },
    onPaste: (event) => {
      const files = [...event.clipboardData.files];
      // A copied table comes as text and as a picture of it: the text is what was meant.
      if (files.length === 0 || event.clipboardData.getData("text/plain") !== "") return;
      event.preventDefault();
      add(files);
    },
    take: () => {
      setItems([]);
      return items.flatMap(({ stored }) => stored ?? []);
    },
    putBack: (files) => setItems((since) => [...files.map(fromStored), ...since]),
  };
}

/** Without a line neither it nor the file could go anywhere. */
const lateUpload = () =>
  import("@/lib/client/conversation/upload-file").catch(() => {
    throw new ApiError("offline", "The server cannot be reached. Is Meguri still running?", 0);
  });

type Change = (before: readonly DraftFile[]) => readonly DraftFile[];
type SetItems = (next: readonly DraftFile[] | Change) => void;

/** The list of this conversation, remembered in this browser. */
function useKept(chat: ChatStore, id: string | null): [readonly DraftFile[], SetItems] {
  const [list, setList] = useState<{ chat: ChatStore; id: string | null; items: readonly DraftFile[] }>({
    chat,
    id,
    items: [],
  });
  useEffect(() => {
    setList((before) => {
      // It was born just now: what was attached meanwhile stays.
      // A file is uploaded for one kind of chat, and stays with it.
      const isBirth = before.chat === chat && isNew(before.id) && !isNew(id);
      if (!isBirth) return { chat, id, items: readKept(id) };
      writeKept(before.id, []);
      writeKept(id, before.items);
      return { chat, id, items: before.items };
    });
  }, [chat, id]);
  const setItems = useCallback<SetItems>(
    (next) =>
      setList((before) => {
        const items = typeof next === "function" ? next(before.items) : next;
        writeKept(before.id, items);
        return { ...before, items };
      }),
    [],
  );
  return [list.items, setItems];
}

const isNew = (id: string | null) => id === null || id === newTemporary;

const keptName = (id: string | null) => `files.${id ?? "new"}`;

function readKept(id: string | null): DraftFile[] {
  try {
    const kept: unknown = JSON.parse(readChoice(keptName(id)) ?? "[]");
    return Array.isArray(kept) ? (kept as StoredFile[]).slice(0, maxFiles).map(fromStored) : [];
  } catch {
    return [];
  }
}

function writeKept(id: string | null, items: readonly DraftFile[]): void {
  if (!keepsDrafts(id)) return;
  const stored = items.flatMap((item) => item.stored ?? []);
  writeChoice(keptName(id), stored.length > 0 ? JSON.stringify(stored) : null);
}

function toDraft(file: File): DraftFile {
  const failure = file.size > maxFileBytes ? { code: "too_large", message: "" } : null;
  const { name, size, type } = file;
  return { key: newId(), name, size, mediaType: type, progress: 0, stored: null, failure };
}

function fromStored(stored: StoredFile): DraftFile {
  const { attachmentId: key, name = "", size, mediaType } = stored;
  return { key, name, size, mediaType, progress: 1, stored, failure: null };
}
