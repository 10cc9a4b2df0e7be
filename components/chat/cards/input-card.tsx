"use client";

import { useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { Button, buttonClass } from "@/components/ui/controls/button";
import type { GivenAnswer } from "@/lib/client/conversation/chat-store";
import { type FieldValue, type FormDraft, readFields, toContent } from "@/lib/client/servers/form-fields";
import type { InputRequest } from "@/lib/protocol/chunk";
import { questions } from "@/lib/protocol/questions";
import { CardActs, CardBar } from "./card-bar";
import { CardFrame, type CardPlace } from "./card-frame";
import { InputForm } from "./input-form";

export interface InputCardProps extends CardPlace {
  request: InputRequest;
  onAnswer(given: GivenAnswer): Promise<void>;
}

/** What a server wants to know of the person, or a page that it wants visited; it says whose question it is. */
export default function InputCard({ request, onAnswer, ...place }: InputCardProps) {
  const t = useTranslations("chat.card.input");
  const [isSent, setSent] = useState(false);
  const busy = isSent || place.isArriving;
  const answer = async (given: GivenAnswer) => {
    if (busy) return;
    setSent(true);
    await onAnswer(given);
    setSent(false);
  };
  const { server, message, mode } = request;
  return (
    <CardFrame
      title={t(mode === "url" ? "titlePage" : "title", { server })}
      asks="answer"
      busy={busy}
      {...place}
    >
      <p className="mb-2 text-mach whitespace-pre-wrap text-ink-2">{message}</p>
      {mode === "url" ? (
        <Page url={request.url ?? ""} busy={busy} onAnswer={answer} />
      ) : (
        <Form request={request} busy={busy} onAnswer={answer} />
      )}
    </CardFrame>
  );
}

interface AnswersProps {
  busy: boolean;
  onAnswer(given: GivenAnswer): Promise<void>;
}

function Form({ request, busy, onAnswer }: AnswersProps & { request: InputRequest }) {
  const t = useTranslations("chat.card.input");
  const fields = useMemo(() => readFields(request.schema), [request.schema]);
  const [draft, setDraft] = useState<FormDraft>({});
  const change = (name: string, value: FieldValue) => setDraft((before) => ({ ...before, [name]: value }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void onAnswer({ action: "accept", content: toContent(fields, draft) });
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
        // Bare Enter in a field sends nothing: what is entered leaves for the server.
        else if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      <InputForm fields={fields} draft={draft} onChange={change} />
      <p className="meta">{t("goesTo", { server: request.server })}</p>
      <CardBar>
        <CardActs>
          <Button type="submit" tone="ink" keys="Mod+Enter" disabled={busy}>
            {t("send")}
          </Button>
          <Refusals busy={busy} onAnswer={onAnswer} />
        </CardActs>
      </CardBar>
    </form>
  );
}

function Page({ url, busy, onAnswer }: AnswersProps & { url: string }) {
  const t = useTranslations("chat.card.input");
  const host = URL.canParse(url) ? new URL(url).host : url;
  return (
    <>
      <p>
        {t.rich("page", { host, b: (text) => <b className="font-semibold text-ink">{text}</b> })}{" "}
        <code className="break-all text-micro text-ink-3">{url}</code>
      </p>
      <CardBar>
        <CardActs>
          <a className={buttonClass("ink")} href={url} target="_blank" rel="noopener noreferrer">
            {t("open")}
          </a>
          <Button disabled={busy} onClick={() => void onAnswer({ action: "accept" })}>
            {t("visited")}
          </Button>
          <Refusals busy={busy} onAnswer={onAnswer} />
        </CardActs>
      </CardBar>
    </>
  );
}

function Refusals({ busy, onAnswer }: AnswersProps) {
  const t = useTranslations("chat.card.input");
  return questions.form.offers
    .filter((action) => action !== "accept")
    .map((action) => (
      <Button
        key={action}
        tone={action === "cancel" ? "quiet" : "outline"}
        disabled={busy}
        onClick={() => void onAnswer({ action })}
      >
        {t(action)}
      </Button>
    ));
}
