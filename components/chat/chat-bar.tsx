"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { Bar } from "@/components/shell/bar";
import { findKeys } from "@/components/shell/keys";
import { pageCommand, usePageCommand } from "@/components/shell/page-commands";
import { tidy } from "@/components/shell/tidy";
import { Button, iconButtonClass } from "@/components/ui/controls/button";
import { copyText } from "@/components/ui/controls/copy-button";
import { download } from "@/components/ui/download";
import { Icon } from "@/components/ui/icon";
import { Key } from "@/components/ui/key";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { notify } from "@/components/ui/toast";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { useConversations } from "@/lib/client/conversation/conversations";

const instructionsDialog = latePart(() => import("./instructions-dialog"));
const shareDialog = latePart(() => import("@/components/share/share-dialog"));
const preloadShare = () => fetchAhead(shareDialog);

export function ChatBar({ chat, state }: { chat: ChatStore; state: ConversationState }) {
  const t = useTranslations("chat.bar");
  const common = useTranslations("common");
  const shell = useTranslations("shell");
  const temporary = useTranslations("chat.temporary");
  const router = useRouter();
  const [renaming, setRenaming] = useState(false);
  const [sharing, setSharing] = useState(false);
  const [instructing, setInstructing] = useState(false);
  const InstructionsDialog = useLatePart(instructionsDialog, instructing);
  const ShareDialog = useLatePart(shareDialog, sharing);
  const { id } = state;
  // After what has asked for it has given the focus back, or that would take it from the field.
  const rename = () => void setTimeout(() => setRenaming(true));
  // The list knows the name before the conversation has come.
  const listed = useConversations().data?.items.find((item) => item.id === id);
  const title = state.title || listed?.title || "";
  const isKnown = id !== null && title !== "";
  const end = async () => {
    if (await chat.changes.end()) router.push("/");
  };
  usePageCommand("rename", isKnown ? rename : undefined);
  usePageCommand("share", isKnown && !state.isTemporary ? () => setSharing(true) : undefined);
  usePageCommand("instructions", isKnown ? () => setInstructing(true) : undefined);
  if (id === null || title === "") return <Bar />;
  const items = [{ id, title, projectId: state.projectId ?? null }];
  const kept: MenuEntry[] = [
    { label: t("share"), icon: "share", onSelect: () => setSharing(true) },
    {
      label: t("copyLink"),
      icon: "copy",
      onSelect: () => void copyText(window.location.href).then(() => notify(common("copied"))),
    },
    {
      kind: "sub",
      label: t("export"),
      entries: (["json", "md", "html"] as const).map((format) => ({
        label: t(`exportAs.${format}`),
        onSelect: () => download(`/api/conversations/${encodeURIComponent(id)}/export?format=${format}`),
      })),
    },
  ];
  const entries: MenuEntry[] = [
    { label: t("rename"), icon: "pencil", onSelect: rename },
    {
      label: t("find"),
      icon: "search",
      note: <Key keys={findKeys} />,
      onSelect: () => void setTimeout(() => pageCommand("find")?.()),
    },
    { label: t("instructions"), icon: "timeline", onSelect: () => setInstructing(true) },
    ...(state.choice?.allowReads
      ? [
          {
            kind: "choice" as const,
            label: t("readsAllowed"),
            chosen: true,
            onSelect: () =>
              void chat.changes
                .choose({ allowReads: null })
                .then((done) => done && notify(t("readsAskAgain"))),
          },
        ]
      : []),
    ...(state.isTemporary ? [] : kept),
    { kind: "rule" },
    // What is not listed may be in the archive already.
    ...(listed
      ? [
          {
            label: shell("archive"),
            icon: "archive" as const,
            onSelect: () => tidy({ action: "archive", items }),
          },
        ]
      : []),
    state.isTemporary
      ? { label: temporary("end"), icon: "trash", onSelect: () => void end() }
      : { label: common("delete"), icon: "trash", onSelect: () => tidy({ action: "delete", items }) },
  ];
  return (
    <>
      <Bar
        title={renaming ? <RenameField title={title} chat={chat} onDone={() => setRenaming(false)} /> : title}
        {...meta(state, t)}
      >
        {!state.isTemporary && (
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
        )}
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
  const { comparison, columns } = state;
  if (comparison) {
    const meta = t("compared", { count: comparison.length, ended: columns?.ended ?? 0 });
    return columns?.waits ? { meta: `${t("waiting")}, ${meta}`, waits: true } : { meta };
  }
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
    if (text !== "" && text !== title) void chat.changes.rename(text);
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
