"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import { cn } from "@/components/ui/cn";
import { showDuration } from "@/lib/client/run/durations";
import type { ComparedRun } from "@/lib/protocol/run-comparison";
import { useModelNames } from "./use-model-names";

const figures = {
  time: (run: ComparedRun) => run.latencyMs,
  loops: (run: ComparedRun) => run.turns,
  calls: (run: ComparedRun) => run.calls,
  in: (run: ComparedRun) => run.usage.inputTokens,
  out: (run: ComparedRun) => run.usage.outputTokens,
  cost: (run: ComparedRun) => run.cost,
};
type Figure = keyof typeof figures;
const names = Object.keys(figures) as Figure[];
/** Told as a number; the others as a share. */
const counted: readonly Figure[] = ["loops", "calls"];

/** What each took; of two also the difference in words. */
export function CompareFigures({ runs }: { runs: readonly ComparedRun[] }) {
  const t = useTranslations("run.compare");
  const format = useFormatter();
  const amount = useAmount();
  const nameOf = useModelNames();
  const show = (name: Figure, value: number | null) => {
    if (value === null) return <span className="font-text text-mach text-ink-3">{t("unknown")}</span>;
    if (name === "time") return showDuration(value);
    return name === "cost" ? amount("cost", value) : format.number(value);
  };
  const [one, two] = runs;
  return (
    <section
      aria-label={t("figures")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
      tabIndex={0}
      className="more-beside overflow-x-auto pt-4 pb-3"
    >
      <table className="w-full min-w-[560px] text-left">
        <thead className="text-micro text-ink-3">
          <tr>
            <th className="pr-4 font-normal">{t("model")}</th>
            {names.map((name) => (
              <th key={name} className="pr-4 font-normal">
                {t(`figure.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th className="max-w-48 truncate pr-4 font-normal">{nameOf(run.model)}</th>
              {names.map((name) => (
                <td key={name} className="pr-4 font-voice text-[20px]/7 whitespace-nowrap tabular-nums">
                  {show(name, figures[name](run))}
                </td>
              ))}
            </tr>
          ))}
          {one && two && runs.length === 2 && (
            <tr>
              <th className="pr-4 font-normal text-ink-3">{t("difference")}</th>
              {names.map((name) => (
                <Difference key={name} name={name} from={figures[name](one)} to={figures[name](two)} />
              ))}
            </tr>
          )}
        </tbody>
      </table>
    </section>
  );
}

function Difference({ name, from, to }: { name: Figure; from: number | null; to: number | null }) {
  const t = useTranslations("run.compare");
  const isSame = from === to;
  const isKnown = from !== null && to !== null && (from > 0 || counted.includes(name));
  const by = (to ?? 0) - (from ?? 0);
  const words = () => {
    if (!isKnown) return "";
    if (isSame) return t("same");
    const way = by > 0 ? "more" : "less";
    return counted.includes(name)
      ? t(`by.${way}`, { amount: Math.abs(by) })
      : t(`share.${way}`, { share: Math.abs(by) / (from || 1) });
  };
  return (
    <td className={cn("pr-4 text-mach whitespace-nowrap", isSame ? "text-ink-3" : "font-semibold")}>
      {words()}
    </td>
  );
}
