"use client";

import { usePathname } from "next/navigation";
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { TakenLater } from "@/components/ui/taken-later";
import { notifyFailure } from "@/components/ui/toast";
import { Shortcuts } from "./shortcuts";
import { closeDrawer, startSide, useSide } from "./side";
import { takeTidyings, useTidyings } from "./tidy";

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
  useSideOnRoot(closed);
  return (
    <div
      className="grid h-[calc(100dvh-var(--notice,0px))] grid-cols-1 not-phone:data-[side=open]:grid-cols-[var(--side)_minmax(0,1fr)]"
      data-side={closed ? "closed" : "open"}
    >
      <a href="#main" className="skip-link">
        {t("skip")}
      </a>
      {!closed && (
        <aside className="side-frame phone:hidden">
          <TakenLater>{side}</TakenLater>
        </aside>
      )}
      <main id="main" tabIndex={-1} className="relative flex min-h-0 min-w-0 flex-col outline-none">
        {children}
      </main>
      {drawer && <Drawer>{side}</Drawer>}
      <Shortcuts />
      <LateTidier />
    </div>
  );
}

/** From the first conversation that is moved, archived or deleted on. */
function LateTidier() {
  const t = useTranslations("errors");
  const asked = useTidyings().length > 0;
  const [wanted, setWanted] = useState(asked);
  if (asked && !wanted) setWanted(true);
  const fail = useCallback(() => {
    takeTidyings();
    setWanted(false);
    notifyFailure(t("outdated"));
  }, [t]);
  const Tidier = useLatePart(tidier, wanted, fail);
  return Tidier && <Tidier />;
}

const tidier = latePart(() => import("./tidier"));

/** For what stands outside the shell; `:has()` on the root would make each change of a page a change of its style. */
function useSideOnRoot(closed: boolean): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    dataset.side = closed ? "closed" : "open";
    return () => {
      delete dataset.side;
    };
  }, [closed]);
}

function Drawer({ children }: { children: ReactNode }) {
  const t = useTranslations("shell");
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the effects of what it shows, which measure.
  useLayoutEffect(() => {
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
      data-drawer=""
      className="drawer"
      aria-label={t("conversations")}
      onClose={closeDrawer}
      onMouseDown={(event) => event.target === dialog.current && closeDrawer()}
    >
      <div className="side-frame h-full">{children}</div>
    </dialog>
  );
}
