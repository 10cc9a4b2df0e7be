"use client";

import Link from "next/link";
import { useTranslations } from "use-intl";
import { useConversations } from "@/lib/client/conversation/conversations";

const examples = [
  ["files", "filesystem"],
  ["remember", "memory"],
  ["recall", "memory"],
  ["note", "filesystem"],
] as const;

/** Under the message field of a new conversation: things to try that really work here, and runs that wait. */
export function Examples({ onPick }: { onPick(text: string): void }) {
  const t = useTranslations("chat.empty");
  return (
    <div className="welcome-more">
      <ol className="examples">
        {examples.map(([name, server], at) => (
          <li key={name}>
            <button type="button" onClick={() => onPick(t(`examples.${name}`))}>
              <span className="example-number">{at + 1}</span>
              <span>{t(`examples.${name}`)}</span>
              <small>{server}</small>
            </button>
          </li>
        ))}
      </ol>
      <WaitingRuns />
    </div>
  );
}

const shownWaiting = 3;

function WaitingRuns() {
  const t = useTranslations("chat.empty");
  const { data } = useConversations();
  const waiting = data?.items.filter(({ status }) => status === "waiting") ?? [];
  if (waiting.length === 0) return null;
  return (
    <p className="meta mt-4">
      <b className="font-semibold text-shu">{t("waits", { count: waiting.length })}</b>{" "}
      {waiting.slice(0, shownWaiting).map(({ id, title }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <Link href={`/c/${id}`} prefetch={false} className="text-ink">
            {title}
          </Link>
        </span>
      ))}
      {waiting.length > shownWaiting && " …"}
    </p>
  );
}
