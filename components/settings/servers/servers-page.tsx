"use client";

import { lazy, memo, Suspense, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useTranslations } from "use-intl";
import { CuratedList } from "@/components/settings/edit-servers/curated-list";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import { Rows, RowsHead } from "@/components/settings/rows";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { download } from "@/components/ui/download";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import { notifyFailure } from "@/components/ui/toast";
import { ForAdmins, useIsAdmin } from "@/components/ui/words/account";
import { useSentence } from "@/components/ui/words/sentences";
import { useGap } from "@/components/ui/words/use-gap";
import { heldDefinitions } from "@/lib/client/servers/server-actions";
import {
  countServers,
  needsPerson,
  refreshServers,
  useIsManaged,
  useServers,
} from "@/lib/client/servers/servers";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import { type FoundServer, findServers } from "./find-servers";
import { ServerRow, serverColumns } from "./server-row";

const ServerForm = lazy(() => import("@/components/settings/edit-servers/server-form"));
const PasteDialog = lazy(() => import("@/components/settings/edit-servers/paste-dialog"));
const FileDialog = lazy(() => import("@/components/settings/edit-servers/file-dialog"));

export function ServersPage() {
  const t = useTranslations("settings.servers");
  const common = useTranslations("common");
  const { data, error } = useServers();
  const [dialog, setDialog] = useState<"add" | "paste" | "file" | null>(null);
  const close = () => setDialog(null);
  const isAdmin = useIsAdmin();
  const isManaged = useIsManaged();
  useFailedSignIn();
  return (
    <>
      <PageHead title={t("title")} lede={<Lede list={data} />}>
        <Button icon="plus" disabled={isManaged} onClick={() => setDialog("add")}>
          {t(isAdmin ? "add" : "addOwn")}
        </Button>
        <ForAdmins>
          <Menu
            align="end"
            trigger={{
              className: buttonClass(),
              "aria-label": common("more"),
              children: <Icon name="more" />,
            }}
            entries={[
              { label: t("paste"), disabled: isManaged, onSelect: () => setDialog("paste") },
              { label: t("editFile"), disabled: !data || isManaged, onSelect: () => setDialog("file") },
              { kind: "rule" },
              { label: t("export"), icon: "download", onSelect: () => download("/api/mcp/export") },
            ]}
          />
        </ForAdmins>
      </PageHead>
      {data?.fileError && <FileError list={data} />}
      {!data && <LoadState error={error} onRetry={refreshServers} />}
      {data?.items.length === 0 && (
        <p className="py-3 text-mach text-ink-2 rule-t">{t(isAdmin ? "none" : "noneYet")}</p>
      )}
      {data && data.items.length > 0 && <Servers list={data} />}
      {data && !isManaged && (
        <ForAdmins>
          <CuratedList servers={data.items} />
        </ForAdmins>
      )}
      <Suspense fallback={null}>
        {dialog === "add" && <ServerForm onClose={close} />}
        {dialog === "paste" && <PasteDialog onClose={close} />}
        {dialog === "file" && data && <FileDialog configPath={data.configPath} onClose={close} />}
      </Suspense>
    </>
  );
}

/** A sign-in that came back too late is told of, once. */
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

function Servers({ list }: { list: McpServerList }) {
  const t = useTranslations("settings.servers");
  const [query, setQuery] = useState("");
  // Typing stays ahead of the list.
  const asked = useDeferredValue(query);
  const items = useNeedyFirst(list.items);
  const found = useMemo(() => findServers(items, asked), [items, asked]);
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
          className="mb-5 max-w-80"
        />
      )}
      {found.length === 0 ? (
        <p className="py-3 text-mach text-ink-2 rule-y">{t("nothingFound", { query: asked })}</p>
      ) : (
        <Groups configPath={list.configPath} found={found} />
      )}
    </>
  );
}

/**
 * Those that need a person come first. It is decided when a server is first seen: nothing moves under the pointer when
 * it is approved or breaks.
 */
function useNeedyFirst(servers: readonly McpServerItem[]): McpServerItem[] {
  const [isFirst] = useState(() => new Map<string, boolean>());
  return useMemo(() => {
    for (const server of servers)
      if (!isFirst.has(server.name)) isFirst.set(server.name, needsPerson(server));
    const { first = [], later = [] } = Object.groupBy(servers, ({ name }) =>
      isFirst.get(name) ? "first" : "later",
    );
    return [...first, ...later];
  }, [servers, isFirst]);
}

interface GroupsProps {
  configPath: string;
  found: FoundServer[];
}

/** One's own come first, under words of their own. A list keeps its place, so that nothing in it closes when the other one comes or goes. */
function Groups({ configPath, found }: GroupsProps) {
  const t = useTranslations("settings.servers");
  const [own, operators] = useMemo(
    () => [found.filter((one) => isOwn(one)), found.filter((one) => !isOwn(one))],
    [found],
  );
  const isSplit = own.length > 0;
  return (
    <>
      {isSplit && <h2 className="mb-2 font-semibold text-mach">{t("own")}</h2>}
      {isSplit && <List label={t("own")} configPath={configPath} found={own} />}
      {isSplit && operators.length > 0 && <h2 className="mt-8 mb-2 font-semibold text-mach">{t("ofAll")}</h2>}
      {operators.length > 0 && (
        <List label={t(isSplit ? "ofAll" : "title")} configPath={configPath} found={operators} />
      )}
    </>
  );
}

const isOwn = ({ server }: FoundServer): boolean => server.owner !== "operator";

interface ListProps extends GroupsProps {
  label: string;
}

const List = memo(function List({ label, configPath, found }: ListProps) {
  const t = useTranslations("settings.servers");
  return (
    <Rows aria-label={label}>
      <RowsHead columns={serverColumns}>
        <span />
        <span>{t("head.server")}</span>
        <span>{t("head.state")}</span>
        <span className="mid:hidden">{t("head.protocol")}</span>
        <span className="text-right">{t("head.tools")}</span>
        <span className="text-right mid:hidden">{t("head.latency")}</span>
        <span />
      </RowsHead>
      {found.map(({ server, tools }) => (
        <ServerRow
          key={server.name}
          server={server}
          configPath={configPath}
          startOpen={heldDefinitions(server) > 0}
          tools={tools}
        />
      ))}
    </Rows>
  );
});

/** Its two lines are there before the list is, so that nothing moves when it comes. */
function Lede({ list }: { list: McpServerList | undefined }) {
  const t = useTranslations("settings.servers");
  const common = useTranslations("common");
  const isAdmin = useIsAdmin();
  if (!list) return <p className="min-h-10" />;
  const { tools, ...counts } = countServers(list.items);
  const states = t("summary", counts);
  const before = common("sentences", { first: states, second: t("summaryTools", { count: tools }) });
  if (!isAdmin) return <p className="min-h-10">{before}</p>;
  return (
    <p className="min-h-10">
      {t.rich(list.isManaged ? "fileManaged" : "file", {
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
    <p role="alert" className="mb-4 bg-shu-wash px-3 py-2 text-mach shadow-[inset_0_2px_var(--shu)]">
      {t("fileError", { path: list.configPath, message: inWords(message) })}
      {gap}
      {line !== null && t("fileErrorLine", { line })}
    </p>
  );
}
