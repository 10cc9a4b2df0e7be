"use client";

import { useFormatter, useTranslations } from "use-intl";
import { Section } from "@/components/settings/section";
import { Table } from "@/components/ui/table";
import type { RunLimitsInForce } from "@/lib/protocol/run-limits";
import type { SettingsItem } from "@/lib/protocol/settings";

type Name = keyof RunLimitsInForce;

/** What holds now, set or not: each limit for chats and for agents. */
export function LimitsTable({ limits: { chat, agent } }: { limits: SettingsItem["limitsInForce"] }) {
  const t = useTranslations("settings.limits.inForce");
  const say = useAmount();
  const rows = names.map((name) => [t(name), say(name, chat[name]), say(name, agent[name])]);
  return (
    <Section title={t("title")} note={t("lede")}>
      <Table columns={[t("limit"), t("chat"), t("agent")]} rows={rows} caption={t("title")} />
    </Section>
  );
}

const names = [
  "maxIterations",
  "timeoutMs",
  "rounds",
  "firstTokenMs",
  "betweenTokensMs",
  "attempts",
  "retryWaitMs",
  "repeats",
  "callsPerTurn",
  "callsAtOnce",
  "answerCharacters",
  "argumentCharacters",
  "argumentDepth",
  "toolTimeoutMs",
  "silentCallMs",
  "longestCallMs",
  "questionMs",
  "resultBytes",
  "resultFileBytes",
] as const satisfies readonly Name[];

/** A number in its unit: times as hours, minutes or seconds, whichever is whole. */
function useAmount(): (name: Name, value: number | null) => string {
  const t = useTranslations("settings.limits.inForce");
  const format = useFormatter();
  const inUnit = (amount: number, unit: string) =>
    format.number(amount, { style: "unit", unit, unitDisplay: "short" });
  return (name, value) => {
    if (value === null) return t("none");
    if (name.endsWith("Bytes")) return inUnit(value / 1024 / 1024, "megabyte");
    if (!name.endsWith("Ms")) return format.number(value);
    if (value % 3_600_000 === 0) return inUnit(value / 3_600_000, "hour");
    return value % 60_000 === 0 ? inUnit(value / 60_000, "minute") : inUnit(value / 1_000, "second");
  };
}
