"use client";

import { useFormatter, useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { Rows, RowsHead } from "@/components/settings/rows";
import { useAct } from "@/components/settings/use-act";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { TextButton } from "@/components/ui/controls/text-button";
import { NearLink } from "@/components/ui/near-link";
import { Dot, Ring } from "@/components/ui/ring";
import { useSentence } from "@/components/ui/words/sentences";
import { sendAgain, sendTest, useDeliveries } from "@/lib/client/settings/hooks";
import { type HookDelivery, type HookItem, mostAttempts } from "@/lib/protocol/hooks";
import { placeOf } from "./hook-row";

const columns = "grid-cols-[20px_116px_132px_minmax(0,1fr)_140px_56px_auto]";

export interface DeliveryListProps {
  hook: HookItem;
  onChange(): void;
  onDelete(): void;
}

/** What one hook was told and is to be told, newest first. */
export function DeliveryList({ hook, onChange, onDelete }: DeliveryListProps) {
  const t = useTranslations("settings.hooks");
  const format = useFormatter();
  const act = useAct();
  const { data, error, refresh } = useDeliveries(hook.id);
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: "medium", timeStyle: "short" });
  const title = t("deliveries", { host: new URL(hook.url).host });
  return (
    <section aria-label={title} className="mt-6">
      <header className="mb-1 flex flex-wrap items-center gap-2">
        <h2 className="min-w-0 flex-[1_1_240px] truncate font-voice text-[19px] leading-7">{title}</h2>
        <Button small tone="quiet" onClick={onDelete}>
          {t("delete")}
        </Button>
        <Button small onClick={onChange}>
          {t("edit")}
        </Button>
        <Button small onClick={() => void act(() => sendTest(hook.id).finally(refresh))}>
          {t("test")}
        </Button>
      </header>
      {hook.off && (
        <p role="status" className="mb-2 text-mach text-shu">
          {t(`offNote.${hook.off.reason}`, { when: day(hook.off.at) })}
        </p>
      )}
      {!data ? (
        <LoadState error={error} onRetry={() => void refresh()} lines={3} />
      ) : data.items.length === 0 ? (
        <p className="py-3 text-mach text-ink-2 rule-y">{t("noDeliveries", { address: placeOf(hook) })}</p>
      ) : (
        <Rows aria-label={title}>
          <RowsHead columns={columns}>
            <span />
            <span>{t("time")}</span>
            <span>{t("event")}</span>
            <span>{t("answer")}</span>
            <span>{t("try")}</span>
            <span className="text-right">{t("took")}</span>
            {/* As wide as the buttons below. */}
            <span className="invisible">{t("again")}</span>
          </RowsHead>
          {data.items.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              onAgain={() => void act(() => sendAgain(hook.id, delivery.id).finally(refresh))}
            />
          ))}
        </Rows>
      )}
    </section>
  );
}

function DeliveryRow({ delivery, onAgain }: { delivery: HookDelivery; onAgain(): void }) {
  const t = useTranslations("settings.hooks");
  const format = useFormatter();
  const { state, event, runId, last, attempts, nextAt, createdAt } = delivery;
  const isBad = state === "failed" || (state === "waiting" && last !== null);
  const time = (at: string) => format.dateTime(new Date(at), { timeStyle: "medium" });
  const answer = useAnswer(delivery);
  return (
    <li
      className={cn(
        "grid min-h-8 items-center gap-x-4 py-1 rule-t slim:grid-cols-[20px_minmax(0,1fr)_auto]",
        columns,
      )}
    >
      <span className="grid place-items-center">
        {isBad ? (
          <Ring state="failed" size={14} />
        ) : state === "waiting" ? (
          <Ring state="run" size={14} />
        ) : (
          <Dot />
        )}
      </span>
      <time
        dateTime={createdAt}
        title={format.dateTime(new Date(createdAt), { dateStyle: "long", timeStyle: "medium" })}
        className="text-ink-2 slim:hidden"
      >
        {time(createdAt)}
      </time>
      <span className="min-w-0 truncate">
        {runId ? <NearLink href={`/runs/${encodeURIComponent(runId)}`}>{event}</NearLink> : event}
        <small className={cn("hidden text-micro slim:block", isBad ? "text-shu" : "text-ink-3")}>
          {time(createdAt)} · {answer}
        </small>
      </span>
      <span
        className={cn("min-w-0 truncate slim:hidden", isBad ? "font-semibold text-shu" : "text-ink-2")}
        title={answer}
      >
        {answer}
      </span>
      <span className="text-ink-2 slim:hidden">
        {nextAt !== null && last !== null
          ? t("nextTry", {
              attempts,
              most: mostAttempts,
              when: format.dateTime(new Date(nextAt), { timeStyle: "short" }),
            })
          : attempts > 1
            ? t("tries", { attempts, most: mostAttempts })
            : attempts}
      </span>
      <span className="text-right text-ink-2 slim:hidden">
        {last &&
          (last.tookMs < 100
            ? t("milliseconds", { ms: last.tookMs })
            : t("seconds", { seconds: format.number(last.tookMs / 1_000, { maximumFractionDigits: 1 }) }))}
      </span>
      {state === "waiting" ? (
        <span aria-hidden="true" className="invisible text-micro">
          {t("again")}
        </span>
      ) : (
        <TextButton
          className="self-center"
          aria-label={t("againLabel", { when: time(createdAt) })}
          onClick={onAgain}
        >
          {t("again")}
        </TextButton>
      )}
    </li>
  );
}

/** What came of the last attempt, in words. */
function useAnswer({ last, state }: HookDelivery): string {
  const t = useTranslations("settings.hooks");
  const inWords = useSentence();
  if (last === null) return state === "waiting" ? t("underWay") : "";
  if (last.error === "refused") return inWords(last.text) || t("errors.refused");
  if (last.error === "redirect") return `${last.status}, ${t("errors.redirect")}`;
  if (last.error === "unreachable" && last.text) return `${t("errors.unreachable")}: ${last.text}`;
  if (last.error !== null) return t(`errors.${last.error}`);
  return last.text === "" ? `${last.status}` : t("said", { status: last.status ?? 0, text: last.text });
}
