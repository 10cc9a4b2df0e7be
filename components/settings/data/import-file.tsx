"use client";

import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useSize } from "@/components/ui/words/use-size";
import { type ChosenFile, dropFile, type ImportStep, lookAgain } from "@/lib/client/transfer/imports";
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
  const isSettled = step.at !== "importing";
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
      {step.at === "failed" && (
        <p role="alert" className="flex flex-wrap items-baseline gap-x-3 text-shu">
          {errorText(step.error)}
          <TextButton onClick={() => lookAgain(file)}>{t("again")}</TextButton>
        </p>
      )}
    </li>
  );
}
