import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import type { AuditItem } from "@/lib/protocol/audit";

const columns =
  "grid-cols-[56px_minmax(0,1fr)_minmax(0,1.6fr)_minmax(0,2fr)_minmax(0,1.2fr)] slim:grid-cols-[56px_minmax(0,1fr)]";

/** The rows by day, in one table: it is read and compared column by column. */
export function AuditList({ items }: { items: readonly AuditItem[] }) {
  const t = useTranslations("settings.audit");
  const format = useFormatter();
  if (items.length === 0) return <p className="py-3 text-mach text-ink-2 rule-y">{t("none")}</p>;
  const day = ({ at }: AuditItem) => format.dateTime(new Date(at), { dateStyle: "full" });
  return (
    <>
      <div
        aria-hidden="true"
        className={cn("grid h-7 items-center gap-x-4 text-micro text-ink-3 rule-t slim:hidden", columns)}
      >
        <span>{t("time")}</span>
        <span>{t("who")}</span>
        <span>{t("did")}</span>
        <span>{t("on")}</span>
        <span className="text-right">{t("from")}</span>
      </div>
      {[...Map.groupBy(items, day)].map(([name, rows]) => (
        <section key={name} aria-label={name}>
          <h2 className="flex h-7 items-center text-micro text-ink-3">{name}</h2>
          <ul className="text-mach rule-y">
            {rows.map((item) => (
              <Row key={item.id} item={item} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Row({ item }: { item: AuditItem }) {
  const t = useTranslations("settings.audit");
  const format = useFormatter();
  const { at, who, action, on, from, count } = item;
  const did = t(`actions.${action}`);
  return (
    <li
      className={cn(
        "grid min-h-7 items-baseline gap-x-4 py-0.5 rule-t first:shadow-none",
        columns,
        action === "signIn.refused" && "text-shu",
      )}
    >
      <time
        dateTime={at}
        className="tabular-nums"
        title={format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "medium" })}
      >
        {format.dateTime(new Date(at), { timeStyle: "short" })}
      </time>
      <b className="min-w-0 truncate font-semibold">{who?.name ?? t("somebody")}</b>
      <span className="min-w-0 slim:col-start-2">{count > 1 ? t("times", { did, count }) : did}</span>
      <span className="min-w-0 text-ink-2 wrap-anywhere slim:col-start-2" title={on ?? undefined}>
        {on}
      </span>
      <span className="min-w-0 truncate text-right text-ink-2 slim:col-start-2 slim:text-left">{from}</span>
    </li>
  );
}
