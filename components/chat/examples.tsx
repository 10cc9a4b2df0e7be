"use client";

import { useTranslations } from "use-intl";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { NearLink } from "@/components/ui/near-link";
import { useIsAdmin } from "@/components/ui/words/account";
import { useAssistants } from "@/lib/client/conversation/assistants";
import { useConversations } from "@/lib/client/conversation/conversations";
import { useModels } from "@/lib/client/conversation/models";
import type { AssistantCardsProps } from "./assistant-cards";
import type { SendChoices } from "./composer/use-send-options";

const examples = [
  ["files", "filesystem"],
  ["remember", "memory"],
  ["recall", "memory"],
  ["note", "filesystem"],
] as const;

/** Under the message field of a new conversation: things to try that really work here, and runs that wait. */
export function Examples({ options, onPick }: { options: SendChoices; onPick(text: string): void }) {
  const t = useTranslations("chat.empty");
  const own = options.assistant?.examples?.map((text) => ({ text, server: "" }));
  const shown = own ?? examples.map(([name, server]) => ({ text: t(`examples.${name}`), server }));
  return (
    <div className="mx-auto mb-auto w-full max-w-[728px] px-6 pb-12 phone:px-4">
      <ol className="mt-6 shadow-[inset_0_1px_var(--rule)]">
        {shown.map(({ text, server }, at) => (
          <li key={text}>
            <button
              type="button"
              className="grid w-full grid-cols-[28px_minmax(0,1fr)_auto] items-center gap-2 py-2.5 text-left shadow-[inset_0_-1px_var(--rule)] hover:bg-paper-2 phone:min-h-11 phone:grid-cols-[20px_minmax(0,1fr)]"
              onClick={() => onPick(text)}
            >
              <span className="meta">{at + 1}</span>
              <span className="wrap-anywhere">{text}</span>
              <small className="meta phone:hidden">{server}</small>
            </button>
          </li>
        ))}
      </ol>
      {/* Known late, and of no height, so that what stands in the middle of the page stays where it is. */}
      <div className="h-0">
        <div className="pb-12">
          <Assistants options={options} />
          <WaitingRuns />
          <OnlyDemo />
        </div>
      </div>
    </div>
  );
}

// Most people have none.
const assistantCards = latePart<AssistantCardsProps>(() => import("./assistant-cards"));

function Assistants({ options: { assistant, setAssistant } }: { options: SendChoices }) {
  const { data } = useAssistants();
  const assistants = data?.items ?? [];
  const Cards = useLatePart(assistantCards, assistants.length > 0);
  if (!Cards || assistants.length === 0) return null;
  return <Cards assistants={assistants} chosen={assistant} onChoose={setAssistant} />;
}

// Most people have a model.
const connectModel = latePart(() => import("./connect-model"));

function OnlyDemo() {
  const { data } = useModels();
  const isOnlyDemo =
    data?.items.every(({ provider, reachable }) => provider === "demo" || !reachable) ?? false;
  const ConnectModel = useLatePart(connectModel, useIsAdmin() && isOnlyDemo);
  return ConnectModel && <ConnectModel />;
}

const shownWaiting = 3;

function WaitingRuns() {
  const t = useTranslations("chat.empty");
  const { data } = useConversations();
  const waiting = data?.items.filter(({ status }) => status === "waiting") ?? [];
  if (waiting.length === 0) return null;
  return (
    <p className="mt-4 meta">
      <b className="font-semibold text-shu">{t("waits", { count: waiting.length })}</b>{" "}
      {waiting.slice(0, shownWaiting).map(({ id, title }, at) => (
        <span key={id}>
          {at > 0 && ", "}
          <NearLink href={`/c/${id}`} className="text-ink">
            {title}
          </NearLink>
        </span>
      ))}
      {waiting.length > shownWaiting && " …"}
    </p>
  );
}
