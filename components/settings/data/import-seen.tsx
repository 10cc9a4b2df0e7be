import { useFormatter, useTranslations } from "use-intl";
import { useSize } from "@/components/ui/words/use-size";
import { countNew } from "@/lib/client/transfer/imports";
import type { ImportPreview, SourcePreview } from "@/lib/protocol/imports";
import { CountLine, LeftOutLine } from "./count-line";

export interface ImportSeenProps {
  preview: ImportPreview;
  wasStopped: boolean;
}

/** What a file would bring: what is new, what is here already, and what is left out. */
export function ImportSeen({ preview, wasStopped }: ImportSeenProps) {
  const t = useTranslations("settings.data.import");
  const sum = sumOf(preview);
  const extended = sum("extended");
  const whole = { messages: sum("messages"), files: sum("files"), branches: sum("branches") };
  return (
    <>
      {wasStopped && (
        <p role="status" className="text-ink-2">
          {t("wasStopped")}
        </p>
      )}
      {countNew(preview) === 0 && (
        <p className="text-ink-2">{sum("conversations") === 0 ? t("empty") : t("nothing")}</p>
      )}
      <ul className="mt-1">
        <CountLine
          count={countNew(preview) - extended}
          words={t("new", { count: countNew(preview) - extended })}
          detail={t("newDetail", whole)}
        />
        <CountLine count={extended} words={t("extended")} detail={t("extendedDetail")} />
        <CountLine count={sum("alreadyHere")} words={t("here")} />
        <CountLine count={sum("leftAlone")} words={t("alone")} detail={t("aloneDetail")} />
        <LeftOutLine leftOut={preview.sources.flatMap((source) => source.leftOut)} />
      </ul>
    </>
  );
}

type Counted = Exclude<keyof SourcePreview, "source" | "from" | "to" | "leftOut">;

const sumOf =
  ({ sources }: ImportPreview) =>
  (field: Counted): number =>
    sources.reduce((sum, source) => sum + source[field], 0);

/** "84 MB, from ChatGPT, March 2023 to November 2026". */
export function useFacts(): (file: File, preview: ImportPreview) => string {
  const t = useTranslations("settings.data.import");
  const format = useFormatter();
  const sizeOf = useSize();
  return (file, { sources }) => {
    const names = [...new Set(sources.map(({ source }) => t(`source.${source}`)))];
    const size = sizeOf(file.size);
    if (names.length === 0) return size;
    const dates = sources.flatMap(({ from, to }) => (from && to ? [from, to] : [])).toSorted();
    const [first] = dates;
    const last = dates.at(-1);
    if (!first || !last) return t("facts", { size, sources: format.list(names) });
    const period = format.dateTimeRange(new Date(first), new Date(last), { year: "numeric", month: "long" });
    return t("factsDated", { size, sources: format.list(names), period });
  };
}
