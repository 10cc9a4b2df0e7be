"use client";

import { Fragment, useSyncExternalStore } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { useGap } from "@/components/ui/words/use-gap";
import type { ShareSnapshot } from "@/lib/protocol/shares";

/** Who has shared it, when it was frozen, by which models it was answered, when its link ends. */
export function ShareMeta({ snapshot, expiresAt }: { snapshot: ShareSnapshot; expiresAt: string | null }) {
  const t = useTranslations("share");
  const format = useFormatter();
  const gap = useGap();
  const models = [...new Set(snapshot.runs.map(({ model }) => modelNameOf(snapshot, model)))].filter(Boolean);
  const parts = [
    snapshot.author !== undefined && t("metaBy", { name: snapshot.author.replace(/[.。]$/, "") }),
    <Moment key="made" at={snapshot.createdAt} />,
    models.length > 0 && format.list(models),
    expiresAt && t.rich("metaEnds", { date: () => <Moment key="ends" at={expiresAt} /> }),
  ].filter(Boolean);
  return (
    <p className="text-mach text-ink-3">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
        <Fragment key={at}>
          {at > 0 && gap}
          {part}
          {t("stop")}
        </Fragment>
      ))}
    </p>
  );
}

/** As it was called when it was frozen; of an old copy, the id without its provider. */
export const modelNameOf = ({ modelNames }: ShareSnapshot, id: string): string =>
  modelNames?.[id] ?? id.slice(id.indexOf("/") + 1);

/** A time with its zone: that of the reader, or UTC where the page has not begun to run. */
function Moment({ at }: { at: string }) {
  const format = useFormatter();
  const timeZone = useSyncExternalStore(never, readersZone, () => "UTC");
  const text = format.dateTime(new Date(at), {
    ...{ year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZoneName: "short", timeZone },
  });
  return <time dateTime={at}>{text}</time>;
}

const never = () => () => {};
const readersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
