"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { notifyFailure } from "@/components/ui/toast";
import {
  type ChosenFile,
  chooseFiles,
  countNew,
  dropAll,
  isImporting,
  maxFiles,
  startImport,
  stopImport,
  useImports,
} from "@/lib/client/transfer/imports";
import { ImportFile } from "./import-file";
import { ImportProgressBar } from "./import-progress-bar";
import { useImportNews } from "./use-import-news";

/** Files are looked into first, and nothing is stored before one says so. */
export function ImportSection() {
  const t = useTranslations("settings.data.import");
  const files = useImports();
  const choose = useChoose();
  const isOver = useDrop(choose);
  useImportNews();
  return (
    <Section title={t("title")} note={t("note")}>
      <div
        className={cn("rounded-control", isOver && "outline-2 outline-offset-8 outline-ink outline-dashed")}
      >
        {files.length > 0 && (
          <ul aria-label={t("files")} className="mb-3">
            {files.map((each) => (
              <ImportFile key={keyOf(each)} chosen={each} />
            ))}
          </ul>
        )}
        <Actions files={files} onChoose={choose} />
        {isOver && <p className="mt-2 text-micro text-ink-2">{t("drop")}</p>}
      </div>
    </Section>
  );
}

type Choose = (chosen: Iterable<File>) => void;

/** Adds files to the list, and says so where it has no room for all of them. */
function useChoose(): Choose {
  const t = useTranslations("settings.data.import");
  return useCallback(
    (chosen) => {
      const count = chooseFiles(chosen);
      if (count > 0) notifyFailure(t("noRoom", { count, most: maxFiles }));
    },
    [t],
  );
}

function Actions({ files, onChoose }: { files: readonly ChosenFile[]; onChoose: Choose }) {
  const t = useTranslations("settings.data.import");
  const input = useRef<HTMLInputElement>(null);
  const count = files.reduce((sum, { step }) => sum + (step.at === "seen" ? countNew(step.preview) : 0), 0);
  const isBusy = isImporting(files);
  const isLooking = files.some(({ step }) => step.at === "looking" || step.at === "waiting");
  return (
    <div className="flex flex-wrap items-center gap-2">
      {isBusy ? (
        <>
          <ImportProgressBar files={files} />
          <Button onClick={stopImport}>{t("stop")}</Button>
        </>
      ) : (
        <>
          {count > 0 && (
            <Button tone="ink" disabled={isLooking} onClick={startImport}>
              {t("start", { count })}
            </Button>
          )}
          <Button onClick={() => input.current?.click()}>
            {files.length > 0 ? t("chooseMore") : t("choose")}
          </Button>
          {count > 0 && (
            <Button tone="quiet" onClick={dropAll}>
              {t("cancel")}
            </Button>
          )}
          {count > 0 && <span className="ml-auto text-ink-3">{t("nothingYet")}</span>}
        </>
      )}
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept=".zip,.json,.ndjson,.jsonl,application/zip,application/json,application/x-ndjson"
        aria-label={t("choose")}
        onChange={({ currentTarget }) => {
          onChoose(currentTarget.files ?? []);
          // The same file can be chosen again after it was put away.
          currentTarget.value = "";
        }}
      />
    </div>
  );
}

const keyOf = ({ file }: ChosenFile): string => `${file.name} ${file.size} ${file.lastModified}`;

/** Files that are dropped anywhere on the page, where the browser would open them. True while they are held over it. */
function useDrop(onChoose: Choose): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = ({ relatedTarget }: DragEvent) => relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      onChoose(event.dataTransfer?.files ?? []);
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, [onChoose]);
  return isOver;
}
