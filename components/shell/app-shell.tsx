"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslations } from "use-intl";
import { Shortcuts } from "./shortcuts";
import { closeDrawer, startSide, useSide } from "./side";

export interface AppShellProps {
  side: ReactNode;
  /** The sidebar as the person left it. */
  sideClosed?: boolean;
  children: ReactNode;
}

/** Sidebar and page; on phones the sidebar is a drawer that the button in the bar opens. */
export function AppShell({ side, sideClosed = false, children }: AppShellProps) {
  const t = useTranslations("shell");
  startSide(sideClosed);
  const { closed, drawer } = useSide({ closed: sideClosed, drawer: false });
  return (
    <div className="app" data-side={closed ? "closed" : "open"}>
      <a href="#main" className="skip">
        {t("skip")}
      </a>
      {!closed && <aside className="side">{side}</aside>}
      <main id="main" tabIndex={-1} className="main outline-none">
        {children}
      </main>
      {drawer && <Drawer>{side}</Drawer>}
      <Shortcuts />
    </div>
  );
}

function Drawer({ children }: { children: ReactNode }) {
  const t = useTranslations("shell");
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const pathname = usePathname();
  const opened = useRef(pathname);
  useEffect(() => {
    if (pathname !== opened.current) closeDrawer();
  }, [pathname]);
  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label={t("conversations")}
      onClose={closeDrawer}
      onMouseDown={(event) => event.target === dialog.current && closeDrawer()}
    >
      <div className="side">{children}</div>
    </dialog>
  );
}
