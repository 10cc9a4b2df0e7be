"use client";

import { useSelectedLayoutSegment } from "next/navigation";
import type { ReactNode } from "react";
import { AppShell } from "./app-shell";
import { LateWatch } from "./late-watch";
import { Sidebar } from "./sidebar";

/** Pages for who may know nothing of the application. */
const bare = new Set(["share", "sign-in", "authorize"]);

/** The frame of every page, kept while one goes from page to page; a shared page, the settings and the pages where people sign in or let a program in bring their own. */
export function Shell({ sideClosed, children }: { sideClosed: boolean; children: ReactNode }) {
  const segment = useSelectedLayoutSegment();
  if (segment !== null && bare.has(segment)) return children;
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
