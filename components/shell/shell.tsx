"use client";

import { useSelectedLayoutSegment } from "next/navigation";
import type { ReactNode } from "react";
import { AppShell } from "./app-shell";
import { LateWatch } from "./late-watch";
import { Sidebar } from "./sidebar";

/** The frame of every page, kept while one goes from page to page; a shared page, the settings and the page where people sign in bring their own. */
export function Shell({ sideClosed, children }: { sideClosed: boolean; children: ReactNode }) {
  const segment = useSelectedLayoutSegment();
  if (segment === "share" || segment === "sign-in") return children;
  return (
    <>
      {segment === "settings" ? (
        children
      ) : (
        <AppShell sideClosed={sideClosed} side={<Sidebar />}>
          {children}
        </AppShell>
      )}
      <LateWatch />
    </>
  );
}
