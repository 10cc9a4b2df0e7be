import type { createFormatter, useTranslations } from "use-intl";
import type { ShareSnapshot } from "@/lib/protocol/http";

/** When it was frozen, by which models it was answered, when its link ends. */
export function shareMeta(
  snapshot: ShareSnapshot,
  expiresAt: string | null,
  t: ReturnType<typeof useTranslations<"share">>,
  format: ReturnType<typeof createFormatter>,
): string {
  const date = format.dateTime(new Date(snapshot.createdAt), {
    dateStyle: "long",
    timeStyle: "short",
    hourCycle: "h23",
  });
  const models = [...new Set(snapshot.runs.map(({ model }) => model))].filter(Boolean);
  const made =
    models.length > 0 ? t("meta", { date, model: format.list(models) }) : t("metaNoModel", { date });
  if (!expiresAt) return made;
  return t("madeAndEnds", {
    made,
    ends: t("metaEnds", { date: format.dateTime(new Date(expiresAt), { dateStyle: "long" }) }),
  });
}
