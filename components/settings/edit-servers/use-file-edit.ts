"use client";

import { useCallback, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";
import { loadFile, previewFile, saveFile } from "@/lib/client/servers/server-file";
import { type McpFile, type McpFileChanges, maxConfigCharacters } from "@/lib/protocol/mcp-file";

const pauseMs = 400;

interface Answer {
  of: string;
  made?: McpFileChanges;
  problem?: string;
}

/** The file as it was loaded, what was written since, and what saving that would do. */
export function useFileEdit() {
  const explain = useExplain();
  const [file, setFile] = useState<McpFile>();
  const [text, setText] = useState("");
  const [answer, setAnswer] = useState<Answer>();
  const [failure, setFailure] = useState<string>();
  const [loads, setLoads] = useState(0);
  const [busy, setBusy] = useState(false);
  const isTooLong = text.length > maxConfigCharacters;
  const isDirty = file !== undefined && text !== file.text;

  const load = useCallback(async () => {
    setBusy(true);
    try {
      const loaded = await loadFile();
      setFile(loaded);
      setText(loaded.text);
      setLoads((count) => count + 1);
      setAnswer(undefined);
      setFailure(undefined);
    } catch (error) {
      setFailure(explain(error));
    }
    setBusy(false);
  }, [explain]);
  useEffect(() => void load(), [load]);

  const look = useCallback(
    (edited: string, version: string): Promise<Answer> =>
      previewFile({ text: edited, version }).then(
        (made) => ({ of: edited, made }),
        (error) => ({ of: edited, problem: explain(error) }),
      ),
    [explain],
  );
  const version = file?.version;
  useEffect(() => {
    if (!isDirty || isTooLong || version === undefined) return;
    let dropped = false;
    const timer = setTimeout(async () => {
      const next = await look(text, version);
      if (!dropped) setAnswer(next);
    }, pauseMs);
    return () => {
      dropped = true;
      clearTimeout(timer);
    };
  }, [text, version, isDirty, isTooLong, look]);

  const current = answer?.of === text && !isTooLong ? answer : undefined;
  const made = isDirty ? current?.made : undefined;
  return {
    file,
    /** How often it was loaded: an editor keeps its text to itself, and is made again for each. */
    loads,
    text,
    setText: (edited: string) => {
      setText(edited);
      setFailure(undefined);
    },
    isDirty,
    busy,
    made,
    /** Somebody else has changed the file: what `made` says is about the file as it is now. */
    isStale: made !== undefined && made.version !== version,
    problem: current?.problem,
    /** Why it could not be loaded; what was written before is still there. */
    failure,
    load,
    /** What was done; undefined when it was not, and `made` or `problem` says why. */
    save: async (): Promise<McpFileChanges | undefined> => {
      if (!made) return undefined;
      setBusy(true);
      setFailure(undefined);
      try {
        return await saveFile({ text, version: made.version });
      } catch (error) {
        const hasChanged = asApiError(error).code === "file_changed";
        setAnswer(hasChanged ? await look(text, made.version) : { of: text, problem: explain(error) });
        return undefined;
      } finally {
        setBusy(false);
      }
    },
  };
}

/** The server's sentence, with the line where it names one. */
function useExplain(): (error: unknown) => string {
  const t = useTranslations("settings.servers.fileDialog");
  const errorText = useErrorText();
  return useCallback(
    (error) => {
      const { details } = asApiError(error);
      const line =
        typeof details === "object" && details !== null && "line" in details ? Number(details.line) : 0;
      return line > 0 ? t("wrongLine", { line, message: errorText(error) }) : errorText(error);
    },
    [t, errorText],
  );
}
