"use client";

import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { Skeleton } from "@/components/ui/skeleton";
import { notify } from "@/components/ui/toast";
import { findInFile, findProblems, isFaulty } from "./entry-problems";
import { FileChanges } from "./file-changes";
import { useFileEdit } from "./use-file-edit";

const JsonEditor = lazy(() => import("./json-editor"));

/** As high with the editor as before it: the dialog does not move when the file comes. */
const editorRoom =
  "min-h-[calc(var(--editor-height)+28px)] [--editor-height:min(52dvh,640px)] phone:[--editor-height:36dvh]";

/** The whole file of servers as JSON: below it what saving would change; closing with unsaved changes asks first. */
export default function FileDialog({ configPath, onClose }: { configPath: string; onClose(): void }) {
  const t = useTranslations("settings.servers.fileDialog");
  const common = useTranslations("common");
  const edit = useFileEdit();
  const { file, made, isStale, isDirty } = edit;
  const [leaves, setLeaves] = useState(false);
  // What is marked in its line, in the language of the page, needs no second telling.
  const read = useDeferredValue(edit.text);
  const isMarked = useMemo(() => findProblems(read, findInFile).some(isFaulty), [read]);
  // A second Escape while it asks means "keep editing".
  const close = () => (isDirty ? setLeaves(!leaves) : onClose());
  const save = async () => {
    const saved = await edit.save();
    if (!saved) return;
    onClose();
    notify(t("saved", { count: saved.changes.filter(({ needsApproval }) => needsApproval).length }));
  };
  return (
    <Dialog
      title={t("title")}
      lede={t.rich("lede", {
        path: configPath,
        code: (path) => <code className="text-[12px] wrap-anywhere">{path}</code>,
      })}
      width={880}
      closeLabel={common("close")}
      onClose={close}
      actions={
        leaves ? (
          <>
            <p role="alert" className="mr-auto self-center text-mach text-shu">
              {t("unsaved")}
            </p>
            <Button onClick={onClose}>{t("leave")}</Button>
            <Button tone="ink" onClick={() => setLeaves(false)}>
              {t("stay")}
            </Button>
          </>
        ) : (
          <>
            {isStale && (
              <Button
                tone="quiet"
                className="mr-auto"
                title={t("reloadHint")}
                disabled={edit.busy}
                onClick={edit.load}
              >
                {t("reload")}
              </Button>
            )}
            <Button onClick={close}>{common("cancel")}</Button>
            <Button tone="ink" disabled={!made || edit.busy} onClick={save}>
              {t(isStale ? "saveOver" : "save")}
            </Button>
          </>
        )
      }
    >
      {file ? (
        <div className={editorRoom}>
          <Suspense fallback={null}>
            <JsonEditor
              key={edit.loads}
              label={t("field")}
              inFile
              autoFocus
              error={edit.failure ?? (isMarked ? undefined : edit.problem)}
              value={edit.text}
              onChange={edit.setText}
            />
          </Suspense>
        </div>
      ) : edit.failure ? (
        <div role="alert" className={cn(editorRoom, "text-mach")}>
          <p className="mb-3">{edit.failure}</p>
          <Button disabled={edit.busy} onClick={edit.load}>
            {common("tryAgain")}
          </Button>
        </div>
      ) : (
        <div className={editorRoom}>
          <Skeleton lines={6} height={24} label={common("loading")} />
        </div>
      )}
      <FileChanges {...{ made, isDirty, isStale, isMarked }} />
    </Dialog>
  );
}
