"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { Mark } from "@/components/ui/mark";
import { ConversationList } from "./conversation-list";
import { toggleSide } from "./side";
import { SideFoot } from "./side-foot";

/** Mark, new chat, the conversations, and the state of the servers. */
export function Sidebar() {
  const t = useTranslations("shell");
  const router = useRouter();
  return (
    <>
      <header className="flex h-12 flex-none items-center gap-2 pr-2 pl-4">
        <Link href="/" className="no-underline" aria-label="Meguri">
          <Mark name />
        </Link>
        <span className="flex-1" />
        <IconButton icon="newChat" label={t("newChat")} keys="Mod+Shift+O" onClick={() => router.push("/")} />
        <IconButton
          icon="sidebar"
          label={t("hideSidebar")}
          keys="Mod+Shift+S"
          tipSide="right-edge"
          onClick={toggleSide}
        />
      </header>
      <ConversationList />
      <SideFoot />
    </>
  );
}
