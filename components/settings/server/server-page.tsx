"use client";

import { lazy, Suspense, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { DefinitionList } from "@/components/settings/servers/definition-list";
import { ServerNeed } from "@/components/settings/servers/server-need";
import { SignInFacts } from "@/components/settings/servers/sign-in";
import { NearLink } from "@/components/ui/near-link";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useIsAdmin } from "@/components/ui/words/account";
import { refreshServers, useIsManaged, useServers } from "@/lib/client/servers/servers";
import type { McpServerItem } from "@/lib/protocol/mcp";
import { ServerFacts } from "./server-facts";
import { ServerHead } from "./server-head";
import { type Tab, Tabs, tabs } from "./tabs";
import { ToolsTab } from "./tools-tab";

/** The first one comes with the page, so that it need not be waited for. */
const panels = {
  tools: ToolsTab,
  resources: lazy(() => import("./resources-tab")),
  prompts: lazy(() => import("./prompts-tab")),
  log: lazy(() => import("./log-tab")),
  about: lazy(() => import("./about-tab")),
};

/** One server with all that it offers, to look at and to try; `tab` is which part is open at first. */
export function ServerPage({ name, tab }: { name: string; tab: string }) {
  const t = useTranslations("server");
  const { data, error } = useServers();
  const server = data?.items.find((item) => item.name === name);
  return (
    <>
      <p>
        <NearLink href="/settings/mcp" className="meta">
          {t("all")}
        </NearLink>
      </p>
      {server && <Found server={server} configPath={data?.configPath ?? ""} firstTab={tab} />}
      {!data && (
        <>
          <h1 className="mt-1 mb-3 truncate font-voice text-title">{name}</h1>
          <LoadState error={error} onRetry={refreshServers} />
        </>
      )}
      {data && !server && <p className="mt-4 py-3 text-mach text-ink-2 rule-y">{t("gone", { name })}</p>}
    </>
  );
}

interface FoundProps {
  server: McpServerItem;
  configPath: string;
  firstTab: string;
}

function Found({ server, configPath, firstTab }: FoundProps) {
  const t = useTranslations("server");
  const isAdmin = useIsAdmin();
  const isManaged = useIsManaged(server);
  const [tab, setTab] = useState<Tab>(
    tabs.find((known) => known === firstTab && (isAdmin || known !== "log")) ?? "tools",
  );
  const Panel = panels[tab];
  const need = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  // Where nothing is needed any more there is nothing to see the focus on.
  const focusBack = useFocusBack(() => (need.current?.hasChildNodes() ? need : head).current?.focus());
  const open = (next: Tab) => {
    setTab(next);
    // In the address without asking the server for the same page again.
    window.history.replaceState(null, "", next === "tools" ? window.location.pathname : `?tab=${next}`);
  };
  return (
    <>
      <div ref={head} tabIndex={-1}>
        <ServerHead server={server} />
      </div>
      <ServerFacts server={server} />
      {isManaged && (
        <p className="mt-2 text-mach text-pretty text-ink-2">
          {t.rich("managed", {
            path: configPath,
            code: (path) => <code className="text-[12px] wrap-anywhere">{path}</code>,
          })}
        </p>
      )}
      <div ref={need} tabIndex={-1} className="mt-2 space-y-2 text-mach" {...focusBack}>
        <ServerNeed server={server} />
        <SignInFacts server={server} />
        <DefinitionList server={server} />
      </div>
      <Tabs server={server} tab={tab} onOpen={open} />
      <div role="tabpanel" id="server-panel" aria-labelledby={`tab-${tab}`} className="text-mach">
        <Suspense fallback={null}>
          <Panel server={server} configPath={configPath} />
        </Suspense>
      </div>
    </>
  );
}
