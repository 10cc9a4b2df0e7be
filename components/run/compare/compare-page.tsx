"use client";

import { type KeyboardEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Switch } from "@/components/ui/controls/switch";
import { Icon } from "@/components/ui/icon";
import { LoadFailed } from "@/components/ui/load-failed";
import { NearLink } from "@/components/ui/near-link";
import { Skeleton } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { CompareFigures } from "./compare-figures";
import { CompareRows, type CompareRowsProps } from "./compare-rows";
import { useComparison } from "./use-comparison";

/** Two to six answers beside each other: what they took, and turn by turn where they differ; `only` leaves out where they do not. */
export function ComparePage({ ids, only }: { ids: string; only: boolean }) {
  const t = useTranslations("run.compare");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const { data, error, retry } = useComparison(ids);
  const [onlyDifferences, setOnly] = useState(only);
  const show = (isOnly: boolean) => {
    setOnly(isOnly);
    // The address is that of what is shown; the page stays as it is.
    const address = new URL(location.href);
    if (isOnly) address.searchParams.set("only", "differences");
    else address.searchParams.delete("only");
    history.replaceState(null, "", address.pathname + address.search);
  };
  const [first] = data?.runs ?? [];
  const title = first?.question || t("title");
  return (
    <>
      <title>{`${title} · Meguri`}</title>
      <Bar
        title={title}
        meta={data && t("count", { count: data.runs.length })}
        back={
          first && (
            <NearLink
              href={`/runs/${encodeURIComponent(first.id)}`}
              className={iconButtonClass}
              aria-label={t("back")}
            >
              <Icon name="arrowLeft" />
            </NearLink>
          )
        }
      >
        {data && (
          // What can be pressed of a switch is wider than it looks, and must not widen the page.
          <div className="flex-none pr-1">
            <Switch checked={onlyDifferences} onChange={show} label={t("onlyDifferences")} words />
          </div>
        )}
      </Bar>
      {error && (
        <div className="px-6 pt-5 phone:px-4">
          <LoadFailed text={t("failed")} onRetry={retry} />
          <p className="meta">{errorText(error)}</p>
        </div>
      )}
      {!data && !error && (
        <div className="px-6 pt-5 phone:px-4">
          <Skeleton lines={8} height={24} label={common("loading")} />
        </div>
      )}
      {data && <Compared data={data} onlyDifferences={onlyDifferences} />}
    </>
  );
}

/** Arrows up and down go from difference to difference. */
function Compared({ data, onlyDifferences }: CompareRowsProps) {
  const t = useTranslations("run.compare");
  const area = useRef<HTMLElement>(null);
  const press = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const found = [...(area.current?.querySelectorAll<HTMLElement>("[data-difference]") ?? [])];
    const at = found.indexOf(document.activeElement as HTMLElement);
    const next = event.key === "ArrowDown" ? found[at + 1] : found[Math.max(0, at - 1)];
    if (!next) return;
    event.preventDefault();
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  };
  return (
    <section
      ref={area}
      aria-label={t("title")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached, and arrows move in it
      tabIndex={0}
      className="min-h-0 flex-1 overflow-auto px-6 pb-8 -outline-offset-2 thin-bar phone:px-4"
      onKeyDown={press}
    >
      <CompareFigures runs={data.runs} />
      <CompareRows data={data} onlyDifferences={onlyDifferences} />
      {data.omitted > 0 && <p className="meta">{t("omitted", { count: data.omitted })}</p>}
    </section>
  );
}
