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
      <div className="scroll">
        <div className="page">{children}</div>
      </div>
    </AppShell>
  );
}
