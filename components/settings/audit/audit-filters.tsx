import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Field, fieldClass } from "@/components/ui/controls/field";
import type { AuditFilter } from "@/lib/client/settings/audit";
import { usePeople } from "@/lib/client/settings/people";
import { auditGroups } from "@/lib/protocol/audit";

const periods = ["1", "7", "30", ""] as const;
/** As high as the field beside it. */
const selectClass = cn(fieldClass({ width: "auto" }), "phone:h-11");

/** Which rows are shown: words, a person, a kind of action, and since when. */
export function AuditFilters({
  filter,
  onChange,
}: {
  filter: AuditFilter;
  onChange(filter: AuditFilter): void;
}) {
  const t = useTranslations("settings.audit");
  const people = usePeople().data;
  const isKnown = filter.person === "" || people?.some(({ id }) => id === filter.person);
  const isPeriod = periods.some((days) => days === filter.days);
  return (
    <search className="mb-3 flex flex-wrap items-end gap-2">
      <Field
        className="min-w-40 flex-[1_1_200px]"
        label={t("find")}
        hideLabel
        type="search"
        maxLength={100}
        placeholder={t("find")}
        value={filter.q}
        onChange={({ target }) => onChange({ ...filter, q: target.value.trimStart() })}
      />
      <select
        className={selectClass}
        aria-label={t("person")}
        value={filter.person}
        onChange={({ target }) => onChange({ ...filter, person: target.value })}
      >
        <option value="">{t("everybody")}</option>
        {!isKnown && <option value={filter.person}>{people ? t("deletedPerson") : "…"}</option>}
        {people?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        className={selectClass}
        aria-label={t("action")}
        value={filter.group}
        onChange={({ target }) => {
          const group = auditGroups.find((name) => name === target.value) ?? "";
          onChange({ ...filter, group });
        }}
      >
        <option value="">{t("allActions")}</option>
        {auditGroups.map((group) => (
          <option key={group} value={group}>
            {t(`groups.${group}`)}
          </option>
        ))}
      </select>
      <select
        className={selectClass}
        aria-label={t("period")}
        value={filter.days}
        onChange={({ target }) => onChange({ ...filter, days: target.value })}
      >
        {[...periods, ...(isPeriod ? [] : [filter.days])].map((days) => (
          <option key={days} value={days}>
            {days === "" ? t("allTime") : t("lastDays", { days: Number(days) })}
          </option>
        ))}
      </select>
    </search>
  );
}
