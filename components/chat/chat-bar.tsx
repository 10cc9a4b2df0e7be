"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { Button, iconButtonClass } from "@/components/ui/controls/button";
import { copyText } from "@/components/ui/controls/copy-button";
import { Icon } from "@/components/ui/icon";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { notify, notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { deleteConversation, useConversations } from "@/lib/client/conversation/conversations";

const instructionsDialog = latePart(() => import("./instructions-dialog"));
const shareDialog = latePart(() => import("@/components/share/share-dialog"));
const preloadShare = () => fetchAhead(shareDialog);

/** How long a deleted conversation can be brought back. */
const graceMs = 6000;

export function ChatBar({ chat, state }: { chat: ChatStore; state: ConversationState }) {
  const t = useTranslations("chat.bar");
  const common = useTranslations("common");
  const [renaming, setRenaming] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [instructing, setInstructing] = useState(false);
  const InstructionsDialog = useLatePart(instructionsDialog, instructing);
  const ShareDialog = useLatePart(shareDialog, sharing);
  const remove = useDelete(state);
  const { id } = state;
  // The list knows the name before the conversation has come.
  const listed = useConversations().data?.items.find((item) => item.id === id)?.title;
  const title = state.title || listed || "";
  if (id === null || title === "") return <Bar />;
  const entries: MenuEntry[] = [
    // After the menu has given the focus back, or it would take it from the field.
    { label: t("rename"), icon: "pencil", onSelect: () => setTimeout(() => setRenaming(true)) },
    { label: t("instructions"), icon: "timeline", onSelect: () => setInstructing(true) },
    ...(state.choice?.allowReads
      ? [
          {
            kind: "choice" as const,
            label: t("readsAllowed"),
            chosen: true,
            onSelect: () =>
              void chat.choose({ allowReads: null }).then((done) => done && notify(t("readsAskAgain"))),
          },
        ]
      : []),
    { label: t("share"), icon: "share", onSelect: () => setSharing(true) },
    {
      label: t("copyLink"),
      icon: "copy",
      onSelect: () => void copyText(window.location.href).then(() => notify(common("copied"))),
    },
    { kind: "rule" },
    { label: common("delete"), icon: "trash", onSelect: remove },
  ];
  return (
    <>
      <Bar
        title={renaming ? <RenameField title={title} chat={chat} onDone={() => setRenaming(false)} /> : title}
        {...meta(state, t)}
      >
        <Button
          small
          tone="quiet"
          icon="share"
          className="phone:hidden"
          onPointerEnter={preloadShare}
          onFocus={preloadShare}
          onClick={() => setSharing(true)}
        >
          {t("share")}
        </Button>
        <Menu
          align="end"
          entries={entries}
          trigger={{
            className: iconButtonClass,
            "aria-label": common("more"),
            children: <Icon name="more" />,
          }}
        />
      </Bar>
      {InstructionsDialog && instructing && (
        <InstructionsDialog chat={chat} state={state} onClose={() => setInstructing(false)} />
      )}
      {ShareDialog && <ShareDialog conversationId={id} title={title} open onOpenChange={setSharing} />}
    </>
  );
}

/** Where the answer is: "loop 2 of 10", and whether somebody is waited for. */
function meta(state: ConversationState, t: ReturnType<typeof useTranslations<"chat.bar">>) {
  const view = state.turns.at(-1)?.answer?.view;
  if (!view || view.iteration === 0) return {};
  const loop = t("loop", { number: view.iteration, limit: view.limit ?? 0 });
  if (state.liveRunId !== null) return { meta: loop };
  return view.status === "waiting" ? { meta: t("waitingLoop", { loop }), waits: true } : {};
}

function RenameField({ title, chat, onDone }: { title: string; chat: ChatStore; onDone(): void }) {
  const t = useTranslations("chat.bar");
  const save = (text: string) => {
    onDone();
    if (text !== "" && text !== title) void chat.rename(text);
  };
  return (
    <input
      className="-ml-[9px] h-8 w-[min(360px,50vw)] rounded-control border border-rule-2 bg-raised px-2"
      aria-label={t("rename")}
      defaultValue={title}
      maxLength={200}
      ref={(field) => field?.select()}
      onBlur={(event) => save(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") save(event.currentTarget.value.trim());
        if (event.key === "Escape") {
          event.preventDefault();
          onDone();
        }
      }}
    />
  );
}

function useDelete({ id, title }: ConversationState): () => void {
  const t = useTranslations("shell");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const router = useRouter();
  return () => {
    if (id === null) return;
    const undo = deleteConversation(id, graceMs, (error) =>
      notifyFailure(t("deleteFailed", { title, reason: errorText(error) })),
    );
    notify(t("deleted", { title }), { label: common("undo"), run: undo });
    router.push("/");
  };
}
