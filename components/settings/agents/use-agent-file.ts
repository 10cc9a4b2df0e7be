"use client";

import { useCallback, useEffect, useState } from "react";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";
import { loadAgent, previewAgent, saveAgent } from "@/lib/client/settings/agent-file";
import type { AgentFileItem, AgentFileProblem, AgentTree } from "@/lib/protocol/agents";

const pauseMs = 400;

/** What the server says of a text. */
interface Judged {
  of: string;
  tree: AgentTree | null;
  problems: readonly AgentFileProblem[];
  /** Why it cannot say. */
  failure?: string;
}

interface Draft {
  text: string;
  /** Of the file that it was written over: a file that changed meanwhile is not replaced unasked. */
  version: string | null;
}

/** Texts that are not saved, by id; "new" is the one that has none yet. They last until the tab is closed. */
const drafts = new Map<string, Draft>();
export const hasDraft = (id: string): boolean => drafts.has(id);

/** Undefined while it is made anew. */
export type AgentId = string | undefined;

/** The file of an agent as it was loaded, what was written since, and what the server says of that. */
export function useAgentFile(id: AgentId, template: string) {
  const errorText = useErrorText();
  const key = id ?? "new";
  const [saved, setSaved] = useState<Pick<AgentFileItem, "text"> & { version: string | null }>();
  const [text, setText] = useState(drafts.get(key)?.text ?? template);
  const [judged, setJudged] = useState<Judged>();
  const [failure, setFailure] = useState<string>();
  /** The version on the disk, where it is another one than that which was loaded. */
  const [changed, setChanged] = useState<{ version: string | null }>();
  const [loads, setLoads] = useState(0);
  const [busy, setBusy] = useState(false);
  const isDirty = saved !== undefined && text !== saved.text;

  const load = useCallback(
    async (drop: boolean) => {
      if (drop) drafts.delete(key);
      try {
        const loaded =
          id === undefined
            ? { text: template, version: null, tree: null, problems: [] }
            : await loadAgent(id);
        setSaved({ text: loaded.text, version: loaded.version });
        const draft = drafts.get(key);
        setText(draft?.text ?? loaded.text);
        setJudged(id === undefined ? undefined : { of: loaded.text, ...loaded });
        setLoads((count) => count + 1);
        setFailure(undefined);
        const isOld = draft !== undefined && draft.version !== loaded.version;
        setChanged(isOld ? { version: loaded.version } : undefined);
      } catch (error) {
        setFailure(errorText(error));
      }
    },
    [id, key, template, errorText],
  );
  useEffect(() => void load(false), [load]);

  const wasJudged = judged?.of === text;
  const isKnown = saved !== undefined;
  useEffect(() => {
    if (wasJudged || !isKnown) return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const next = await judge(id ?? nameIn(text), text, errorText);
      if (!dropped) setJudged((before) => ({ ...next, tree: next.tree ?? before?.tree ?? null }));
    }, pauseMs);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [id, text, wasJudged, isKnown, errorText]);

  const save = async (version = saved?.version ?? null): Promise<string | undefined> => {
    setBusy(true);
    const name = id ?? nameIn(text);
    try {
      const made = await saveAgent(name, { text, version });
      // What was typed meanwhile is not saved yet.
      const draft = drafts.get(key);
      if (draft?.text === text) drafts.delete(key);
      else if (draft) drafts.set(key, { ...draft, version: made.version });
      setSaved({ text, version: made.version });
      setJudged({ of: text, tree: made.tree, problems: [] });
      setChanged(undefined);
      return name;
    } catch (error) {
      const { code, details } = asApiError(error);
      if (code === "file_changed") setChanged(details as { version: string | null });
      setJudged({ ...toJudged(text, error, errorText), tree: judged?.tree ?? null });
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  return {
    /** Undefined until it is loaded. */
    saved,
    /** How often it was loaded: an editor keeps its text to itself, and is made again for each. */
    loads,
    text,
    setText: (edited: string) => {
      setText(edited);
      if (edited === saved?.text) drafts.delete(key);
      else drafts.set(key, { text: edited, version: (drafts.get(key) ?? saved)?.version ?? null });
    },
    isDirty,
    busy,
    failure,
    changed,
    /** Of the newest text that was read; the tree is of the newest one that could be used. */
    judged,
    /** False until the server has read what is written. */
    isJudged: wasJudged,
    load,
    save,
  };
}

async function judge(id: string, text: string, errorText: (error: unknown) => string): Promise<Judged> {
  try {
    const { tree } = await previewAgent(id, { text, version: null });
    return { of: text, tree, problems: [] };
  } catch (error) {
    return toJudged(text, error, errorText);
  }
}

function toJudged(of: string, error: unknown, errorText: (error: unknown) => string): Judged {
  const { details } = asApiError(error);
  const { problems = [] } = (details ?? {}) as { problems?: AgentFileProblem[] };
  return { of, tree: null, problems, ...(problems.length === 0 && { failure: errorText(error) }) };
}

/** The name that a new file gives its agent; the server says what is wrong with it. */
const nameIn = (text: string) =>
  /^name:[ \t]*["']?([A-Za-z][\w-]{0,39})["']?[ \t]*$/m.exec(text)?.[1] ?? "agent";

export type AgentEdit = ReturnType<typeof useAgentFile>;
