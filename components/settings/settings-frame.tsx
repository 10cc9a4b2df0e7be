"use client";

import type { ReactNode } from "react";
import { AppShell } from "@/components/shell/app-shell";
import { Bar } from "@/components/shell/bar";
import { fetchServersAhead } from "@/lib/client/servers/servers";
import { SettingsNav } from "./settings-nav";

if (typeof window !== "undefined") fetchServersAhead();

/** The settings: their own list beside the page, which is behind the bar's button on phones. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  return (
    <AppShell side={<SettingsNav />}>
      <div className="hidden phone:block">
        <Bar />
      </div>
      <div data-scroll="" className="flex min-h-0 flex-1 flex-col overflow-auto thin-bar">
        <div className="@container/page mx-auto w-full max-w-230 px-8 pt-7 pb-16 phone:px-4 phone:pt-3 phone:pb-12">
          {children}
        </div>
      </div>
    </AppShell>
  );
}
