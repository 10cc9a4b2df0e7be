import { useTranslations } from "use-intl";
import { useSize } from "@/components/ui/words/use-size";
import { type ChosenFile, countNew } from "@/lib/client/transfer/imports";

/** In the place of the button: how far the file is whose turn it is. */
export function ImportProgressBar({ files }: { files: readonly ChosenFile[] }) {
  const t = useTranslations("settings.data.import");
  const size = useSize();
  const current = files.find(({ step }) => step.at === "importing");
  if (current?.step.at !== "importing") return null;
  const { file, step } = current;
  const { progress, sent } = step;
  const isSending = !progress && sent < file.size;
  const total = progress?.total ?? countNew(step.preview);
  const done = Math.min(progress?.done ?? 0, total);
  const text = progress
    ? t("progress", { done, total })
    : isSending && sent > 0
      ? t("sending", { sent: size(sent), size: size(file.size) })
      : t("beginning");
  const part = progress ? done / Math.max(1, total) : isSending ? sent / file.size : 0;
  return (
    <div
      role="progressbar"
      aria-label={file.name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      aria-valuetext={text}
      className="relative flex h-8 min-w-44 items-center overflow-hidden rounded-control border border-ink px-3 phone:h-11"
    >
      <span
        aria-hidden="true"
        className="absolute inset-y-0 left-0 bg-paper-3 forced-colors:bg-[Highlight] forced-colors:opacity-50"
        style={{ width: `${part * 100}%` }}
      />
      <span className="relative font-semibold tabular-nums">{text}</span>
    </div>
  );
}
