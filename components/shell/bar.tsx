"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { toggleSide } from "./side";

export interface BarProps {
  /** The way back, left of the title. */
  back?: ReactNode;
  /** The heading of the page; without it the bar has no rule below. */
  title?: ReactNode;
  /** Beside the title: "loop 2 of 10". Vermilion when it waits for a person. */
  meta?: ReactNode;
  waits?: boolean;
  /** Buttons at the right. */
  children?: ReactNode;
}

/** The 48 px over a page; it also holds the way back to a hidden sidebar. */
export function Bar({ back, title, meta, waits, children }: BarProps) {
  const t = useTranslations("shell");
  const go = useGo();
  // Keeps the place of a name that is still on its way; an empty heading would lead readers nowhere.
  const isBlank = typeof title === "string" && title.trim() === "";
  return (
    <div
      className={cn("flex h-12 flex-none items-center gap-1 pr-3 pl-6 phone:px-1", title ? "rule-b" : null)}
    >
      <IconButton
        icon="sidebar"
        label={t("showSidebar")}
        keys="Mod+Shift+S"
        tipSide="left-edge"
        className={cn(besideOpen, "not-phone:-ml-3")}
        onClick={toggleSide}
      />
      {/* With the sidebar its button is out of sight. */}
      {title && (
        <IconButton
          icon="newChat"
          label={t("newChat")}
          keys="Mod+Shift+O"
          className={besideOpen}
          onClick={() => go("/")}
        />
      )}
      {back}
      {title &&
        (isBlank ? <span className={titleLook}>{title}</span> : <h1 className={titleLook}>{title}</h1>)}
      {meta && (
        <span
          className={cn("pl-2 text-mach whitespace-nowrap phone:hidden", waits ? "text-shu" : "text-ink-3")}
        >
          {meta}
        </span>
      )}
      <span className="min-w-0 flex-1" />
      {children}
    </div>
  );
}

/** The open sidebar has these buttons itself. */
const besideOpen = "not-phone:in-data-[side=open]:hidden";
const titleLook = "min-w-0 truncate text-text font-semibold";
