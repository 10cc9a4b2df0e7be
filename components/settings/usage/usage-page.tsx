"use client";

import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { ShareBar } from "@/components/settings/people/share-bar";
import { shareOf, useLimitWords } from "@/components/settings/people/use-limit-words";
import { Section } from "@/components/settings/section";
import { useAccount } from "@/components/ui/words/account";
import { useSize } from "@/components/ui/words/use-size";
import { refreshOwnUsage, useOwnUsage } from "@/lib/client/settings/person-limits";
import type { UsageItem } from "@/lib/protocol/person-limits";
import { EverybodysUsage } from "./everybodys-usage";
import { UseRows } from "./use-rows";

/** What one has used and may use; for admins also what everybody has. */
export function UsagePage() {
  const t = useTranslations("settings.usage");
  const format = useFormatter();
  const { data, error } = useOwnUsage();
  const isAdmin = useAccount()?.role === "admin";
  const day = (text: string) => format.dateTime(new Date(`${text}T00:00:00Z`), dayFormat);
  return (
    <>
      <PageHead title={t("title")} lede={<p>{t("lede")}</p>} />
      {data ? (
        <>
          <Today usage={data} />
          <Section title={t("days")} note={t("daysNote")}>
            <UseRows
              label={t("days")}
              none={t("nothing")}
              rows={data.days.map(({ day: key, ...use }) => ({ key, name: day(key), ...use }))}
            />
          </Section>
        </>
      ) : (
        <LoadState error={error} onRetry={refreshOwnUsage} />
      )}
      {isAdmin && <EverybodysUsage day={day} />}
    </>
  );
}

function Today({ usage: { today, limits, bytes, retentionDays } }: { usage: UsageItem }) {
  const t = useTranslations("settings.usage");
  const words = useLimitWords();
  const size = useSize();
  const share = shareOf(today, limits);
  const tokens = words.tokens(today.tokens);
  const cost = words.money(today.cost);
  const { tokensPerDay, costPerDay } = limits;
  const facts: [name: string, value: string][] = [
    [
      t("tokens"),
      tokensPerDay === undefined ? tokens : t("of", { used: tokens, most: words.tokens(tokensPerDay) }),
    ],
    [t("cost"), costPerDay === undefined ? cost : t("of", { used: cost, most: words.money(costPerDay) })],
    [
      t("files"),
      limits.bytes === undefined ? size(bytes) : t("of", { used: size(bytes), most: size(limits.bytes) }),
    ],
    ...(limits.runs === undefined ? [] : [[t("runs"), String(limits.runs)] as [string, string]]),
    ...(limits.servers === undefined ? [] : [[t("servers"), String(limits.servers)] as [string, string]]),
    ...(retentionDays === null
      ? []
      : [[t("retention"), t("retentionDays", { days: retentionDays })] as [string, string]]),
  ];
  return (
    <Section title={t("today")} note={t("todayNote")}>
      {share === 1 && (
        <p role="status" className="mb-3 bg-shu-wash px-3 py-2 shadow-[inset_0_2px_var(--shu)]">
          {t("spent")}
        </p>
      )}
      <dl className="grid grid-cols-[repeat(auto-fill,minmax(148px,1fr))] gap-x-4 gap-y-2">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-micro text-ink-3">{name}</dt>
            <dd className="tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      {share !== undefined && (
        <div className="mt-3 max-w-90">
          <ShareBar share={share} />
        </div>
      )}
    </Section>
  );
}

/** Days of the server, whose midnight is UTC. */
const dayFormat = { dateStyle: "medium", timeZone: "UTC" } as const;
