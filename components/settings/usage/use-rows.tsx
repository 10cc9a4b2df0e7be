import { useTranslations } from "use-intl";
import { useLimitWords } from "@/components/settings/people/use-limit-words";
import { Rows, RowsHead } from "@/components/settings/rows";
import { cn } from "@/components/ui/cn";
import type { Use } from "@/lib/protocol/person-limits";

const columns = "grid-cols-[minmax(0,1fr)_112px_96px]";

interface UseRowsProps {
  label: string;
  /** In place of the list when nothing was used. */
  none: string;
  rows: readonly (Use & { key: string; name: string })[];
}

/** Tokens and money by day or by person. */
export function UseRows({ label, none, rows }: UseRowsProps) {
  const t = useTranslations("settings.usage");
  const words = useLimitWords();
  if (rows.length === 0) return <p className="text-ink-3">{none}</p>;
  return (
    <Rows inSection aria-label={label}>
      <RowsHead columns={columns}>
        <span>{label}</span>
        <span className="text-right">{t("tokens")}</span>
        <span className="text-right">{t("cost")}</span>
      </RowsHead>
      {rows.map(({ key, name, tokens, cost }) => (
        <li key={key} className={cn("grid min-h-8 items-center gap-x-4 py-1 rule-t", columns)}>
          <span className="truncate">{name}</span>
          <span className="text-right tabular-nums">{words.tokens(tokens)}</span>
          <span className="text-right tabular-nums">{words.money(cost)}</span>
        </li>
      ))}
    </Rows>
  );
}
