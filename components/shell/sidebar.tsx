"use client";

import { useCallback } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { Mark } from "@/components/ui/mark";
import { NearLink } from "@/components/ui/near-link";
import { notifyFailure } from "@/components/ui/toast";
import { setChosen, useChosen } from "./choosing";
import { ConversationList } from "./conversation-list";
import { SearchRow } from "./search-row";
import { toggleSide } from "./side";
import { SideFoot } from "./side-foot";

const choosingHead = latePart(() => import("./choosing-head"));
const choosingFoot = latePart(() => import("./choosing-foot"));

/** Mark, new chat, the conversations, and the state of the servers; while some are chosen, what to do with them. */
export function Sidebar() {
  const t = useTranslations("shell");
  const go = useGo();
  const chooses = useChosen() !== null;
  const errors = useTranslations("errors");
  // Without them nobody could do anything with what is chosen.
  const giveUp = useCallback(() => {
    setChosen(null);
    notifyFailure(errors("outdated"));
  }, [errors]);
  const Head = useLatePart(choosingHead, chooses, giveUp);
  const Foot = useLatePart(choosingFoot, chooses, giveUp);
  return (
    <>
      {Head ? (
        <Head />
      ) : (
        <header className="flex h-12 flex-none items-center gap-2 pr-2 pl-4">
          <NearLink href="/" className="no-underline" aria-label="Meguri">
            <Mark name />
          </NearLink>
          <span className="flex-1" />
          <IconButton icon="newChat" label={t("newChat")} keys="Mod+Shift+O" onClick={() => go("/")} />
          <IconButton
            icon="sidebar"
            label={t("hideSidebar")}
            keys="Mod+Shift+S"
            tipSide="right-edge"
            onClick={toggleSide}
          />
        </header>
      )}
      <SearchRow />
      <ConversationList />
      {Foot ? <Foot /> : <SideFoot />}
    </>
  );
}
