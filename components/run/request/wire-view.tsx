"use client";

import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { Pairs } from "@/components/chat/turn/pairs";
import { NearLink } from "@/components/ui/near-link";
import { useSize } from "@/components/ui/words/use-size";
import { showDuration } from "@/lib/client/run/durations";
import { showBody } from "@/lib/client/run/wire-body";
import type { WireBody, WireRecord } from "@/lib/protocol/wire";
import { LongText } from "./long-text";

/** What went over the wire for a turn, where it was recorded; else how to record it. */
export function WireView({ wire }: { wire: WireRecord | null }) {
  const t = useTranslations("run.request.wire");
  if (!wire)
    return (
      <p className="text-ink-2">
        {t.rich("none", {
          link: (words) => (
            <NearLink href="/settings/data#wire" className="underline underline-offset-2">
              {words}
            </NearLink>
          ),
        })}
      </p>
    );
  const { request, response, attempts } = wire;
  return (
    <div className="grid gap-x-6 gap-y-4 min-[900px]:grid-cols-2">
      <section aria-label={t("request")} className="min-w-0">
        <RequestLine wire={wire} />
        {attempts > 1 && <p className="meta">{t("attempts", { count: attempts })}</p>}
        <Message part={request} />
      </section>
      <section aria-label={t("response")} className="min-w-0">
        {response ? (
          <>
            <ResponseLine response={response} />
            <Message part={response} />
          </>
        ) : (
          <p className="text-ink-2">{t("noResponse")}</p>
        )}
      </section>
    </div>
  );
}

function RequestLine({ wire: { request } }: { wire: WireRecord }) {
  const t = useTranslations("run.request.wire");
  const size = useSize();
  return (
    <>
      <p className="meta wrap-anywhere">
        {t("requestLine", { method: request.method, host: hostOf(request.url), size: size(request.bytes) })}
      </p>
      <p className="font-mono text-[12px]/5 wrap-anywhere text-ink-2">{request.url}</p>
    </>
  );
}

function ResponseLine({ response }: { response: NonNullable<WireRecord["response"]> }) {
  const t = useTranslations("run.request.wire");
  const size = useSize();
  const { status, firstByteMs, ms, bytes, complete } = response;
  return (
    <>
      <p className="meta">
        {t("responseLine", {
          status,
          first: showDuration(firstByteMs),
          whole: showDuration(ms),
          size: size(bytes),
        })}
      </p>
      {!complete && <p className="text-ink-2">{t("broken")}</p>}
    </>
  );
}

function Message({ part }: { part: WireBody }) {
  const t = useTranslations("run.request.wire");
  const size = useSize();
  const { body, bytes, truncated, headers } = part;
  const text = useMemo(() => showBody(body), [body]);
  return (
    <>
      <details className="py-1">
        <summary className="min-h-6 cursor-pointer text-ink-2 phone:min-h-11 phone:leading-11">
          {t("headers", { count: Object.keys(headers).length })}
        </summary>
        <Pairs className="font-mono text-[12px]/5 text-ink-2" pairs={Object.entries(headers)} />
      </details>
      {text === "" ? (
        <p className="text-ink-2">{t(truncated ? "unread" : "empty")}</p>
      ) : (
        <LongText text={text} />
      )}
      {truncated && text !== "" && <p className="text-ink-2">{t("truncated", { size: size(bytes) })}</p>}
    </>
  );
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
