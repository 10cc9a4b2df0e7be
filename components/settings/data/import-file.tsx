"use client";

import { useTranslations } from "use-intl";
import { Button, IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useGo } from "@/components/ui/go";
import { NearLink } from "@/components/ui/near-link";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useSize } from "@/components/ui/words/use-size";
import {
  type ChosenFile,
  dropFile,
  type ImportStep,
  importRun,
  lookAgain,
} from "@/lib/client/transfer/imports";
import type { ImportedRun } from "@/lib/client/transfer/run-file";
import { ImportDone } from "./import-done";
import { ImportSeen, useFacts } from "./import-seen";

/** One file: what was understood of it, or why not, or what has come. */
export function ImportFile({ chosen: { file, step } }: { chosen: ChosenFile }) {
  const t = useTranslations("settings.data.import");
  const size = useSize();
  const errorText = useErrorText();
  const facts = useFacts();
  const lookingAt = ({ sent, progress }: Extract<ImportStep, { at: "looking" }>) =>
    progress?.total
      ? t("lookingAt", { done: progress.done, total: progress.total })
      : t("looking", { sent: size(sent), size: size(file.size) });
  const isSettled = step.at !== "importing" && step.at !== "sendingRun";
  return (
    <li className="py-2 rule-b first:rule-y">
      <div className="flex items-center gap-x-2">
        <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
          <b className="font-semibold wrap-anywhere">{file.name}</b>
          <span className="text-ink-3" aria-live={step.at === "looking" ? "off" : "polite"}>
            {step.at === "waiting" && t("waiting")}
            {step.at === "looking" && lookingAt(step)}
            {(step.at === "seen" || step.at === "importing") && facts(file, step.preview)}
            {(step.at === "done" || step.at === "failed") && size(file.size)}
            {(step.at === "run" || step.at === "runDone") && t("run.facts", { size: size(file.size) })}
            {step.at === "sendingRun" && t("sending", { sent: size(step.sent), size: size(file.size) })}
          </span>
        </div>
        {isSettled && (
          <IconButton icon="cross" label={t("remove", { name: file.name })} onClick={() => dropFile(file)} />
        )}
      </div>
      {(step.at === "seen" || step.at === "importing") && (
        <ImportSeen preview={step.preview} wasStopped={step.at === "seen" && step.wasStopped} />
      )}
      {step.at === "done" && <ImportDone result={step.result} />}
      {(step.at === "run" || step.at === "sendingRun") && (
        <RunToOpen file={file} isSending={step.at === "sendingRun"} />
      )}
      {step.at === "runDone" && (
        <p role="status">
          <NearLink href={placeOf(step.run)} className="phone:leading-11">
            {t("run.open")}
          </NearLink>
        </p>
      )}
      {step.at === "failed" && (
        <p role="alert" className="flex flex-wrap items-baseline gap-x-3 text-shu">
          {errorText(step.error)}
          <TextButton onClick={() => lookAgain(file)}>{t("again")}</TextButton>
        </p>
      )}
    </li>
  );
}

/** A run is nothing to be counted first: it comes to be looked at, and what is here stays as it is. */
function RunToOpen({ file, isSending }: { file: File; isSending: boolean }) {
  const t = useTranslations("settings.data.import.run");
  const go = useGo();
  const open = async () => {
    const run = await importRun(file);
    if (run) go(placeOf(run));
  };
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button small disabled={isSending} aria-busy={isSending} onClick={() => void open()}>
        {t("import")}
      </Button>
      <p className="text-ink-2">{t("what")}</p>
    </div>
  );
}

const placeOf = ({ runId }: ImportedRun) => `/runs/${encodeURIComponent(runId)}`;
