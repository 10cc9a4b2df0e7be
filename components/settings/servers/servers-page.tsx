"use client";

import { lazy, memo, Suspense, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { CuratedList } from "@/components/settings/edit-servers/curated-list";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Button, buttonClass } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { useSentence } from "@/components/ui/sentences";
import { notifyFailure } from "@/components/ui/toast";
import { useGap } from "@/components/ui/use-gap";
import { countServers, heldDefinitions, refreshServers, useServers } from "@/lib/client/servers/servers";
import type { McpServerList } from "@/lib/protocol/mcp";
import { type FoundServer, findServers } from "./find-servers";
import { ServerRow } from "./server-row";

const ServerForm = lazy(() => import("@/components/settings/edit-servers/server-form"));
const PasteDialog = lazy(() => import("@/components/settings/edit-servers/paste-dialog"));
const FileDialog = lazy(() => import("@/components/settings/edit-servers/file-dialog"));

export function ServersPage() {
  const t = useTranslations("settings.servers");
  const { data, error } = useServers();
  const [dialog, setDialog] = useState<"add" | "paste" | "file" | null>(null);
  const close = () => setDialog(null);
  useFailedSignIn();
  return (
    <>
      <PageHead title={t("title")} lede={data && <Lede list={data} />}>
        <a className={buttonClass()} href="/api/mcp/export" download>
          {t("export")}
        </a>
        {data && <Button onClick={() => setDialog("file")}>{t("editFile")}</Button>}
        <Button onClick={() => setDialog("paste")}>{t("paste")}</Button>
        <Button icon="plus" onClick={() => setDialog("add")}>
          {t("add")}
        </Button>
      </PageHead>
      {data?.fileError && <FileError list={data} />}
      {!data && <LoadState error={error} onRetry={refreshServers} />}
      {data?.items.length === 0 && <p className="lede mt-6">{t("none")}</p>}
      {data && data.items.length > 0 && <Rows list={data} />}
      {data && <CuratedList servers={data.items} />}
      <Suspense fallback={null}>
        {dialog === "add" && <ServerForm onClose={close} />}
        {dialog === "paste" && <PasteDialog onClose={close} />}
        {dialog === "file" && data && <FileDialog configPath={data.configPath} onClose={close} />}
      </Suspense>
    </>
  );
}

/** Whoever comes back from a sign-in that nobody waits for is told so, once. */
function useFailedSignIn(): void {
  const t = useTranslations("settings.servers");
  useEffect(() => {
    if (new URLSearchParams(window.location.search).get("signIn") !== "failed") return;
    window.history.replaceState(null, "", window.location.pathname);
    notifyFailure(t("signInFailed"));
  }, [t]);
}

/** Fewer than this are seen at one glance; a search that filters them stays all the same. */
const searchFrom = 6;

function Rows({ list }: { list: McpServerList }) {
  const t = useTranslations("settings.servers");
  const [query, setQuery] = useState("");
  // Typing stays ahead of the list.
  const asked = useDeferredValue(query);
  const found = useMemo(() => findServers(list.items, asked), [list.items, asked]);
  return (
    <>
      {(list.items.length >= searchFrom || query !== "") && (
        <Field
          label={t("search")}
          hideLabel
          type="search"
          placeholder={t("search")}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="mt-5 max-w-80"
        />
      )}
      {found.length === 0 && <p className="lede mt-6">{t("nothingFound", { query: asked })}</p>}
      <List configPath={list.configPath} found={found} />
    </>
  );
}

interface ListProps {
  configPath: string;
  found: FoundServer[];
}

const List = memo(function List({ configPath, found }: ListProps) {
  const t = useTranslations("settings.servers");
  return (
    <ul className="rows">
      <li className="rows-head srv-line" aria-hidden="true">
        <span />
        <span>{t("head.server")}</span>
        <span>{t("head.state")}</span>
        <span className="srv-extra">{t("head.protocol")}</span>
        <span className="num">{t("head.tools")}</span>
        <span className="srv-extra num">{t("head.latency")}</span>
        <span />
      </li>
      {found.map(({ server, tools }) => (
        <ServerRow
          key={server.name}
          server={server}
          configPath={configPath}
          startOpen={heldDefinitions(server) > 0}
          tools={tools}
        />
      ))}
    </ul>
  );
});

function Lede({ list }: { list: McpServerList }) {
  const t = useTranslations("settings.servers");
  const common = useTranslations("common");
  const { tools, ...counts } = countServers(list.items);
  const states = t("summary", counts);
  const before = common("sentences", { first: states, second: t("summaryTools", { count: tools }) });
  return (
    <p>
      {t.rich("file", {
        before,
        path: list.configPath,
        code: (path) => <code className="text-[12px]">{path}</code>,
      })}
    </p>
  );
}

function FileError({ list }: { list: McpServerList }) {
  const t = useTranslations("settings.servers");
  const inWords = useSentence();
  const gap = useGap();
  if (!list.fileError) return null;
  const { message, line } = list.fileError;
  return (
    <p role="alert" className="mt-4 bg-shu-wash px-3 py-2 text-mach shadow-[inset_0_2px_var(--shu)]">
      {t("fileError", { path: list.configPath, message: inWords(message) })}
      {gap}
      {line !== null && t("fileErrorLine", { line })}
    </p>
  );
}
