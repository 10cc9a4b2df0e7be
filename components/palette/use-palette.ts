import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { pageCommand } from "@/components/shell/page-commands";
import { closeDrawer } from "@/components/shell/side";
import { useGo } from "@/components/ui/go";
import { readDraft, writeDraft } from "@/lib/client/conversation/drafts";
import type { GroupId, PaletteGroup, PaletteRow } from "./palette-group";
import { usePaletteGroups } from "./use-palette-groups";

/** Rows of a group beside others. */
const fewRows = 3;

/** A group as it is drawn: some of its rows, and one that shows more of them. */
export interface DrawnGroup extends PaletteGroup {
  shown: readonly PaletteRow[];
  more: PaletteRow | null;
}

/** What a query finds, which row is selected, and what is done with it. `close` with true gives the focus back. */
export function usePalette(query: string, close: (givesFocusBack: boolean) => void) {
  const push = useGo();
  const [only, setOnly] = useState<GroupId | null>(null);
  const [opened, setOpened] = useState<readonly GroupId[]>([]);
  const [pointed, point] = useState<string>();
  const found = usePaletteGroups(query, only);
  const isAlone = only !== null || query.trim() === "" || query.startsWith(">");
  const toMore = useMoreRow((id) => setOpened([...opened, id]), found.loadMore);
  const ask = useAskRow(query);
  const isEmpty = found.groups.length === 0 && found.words.length > 0 && found.isSettled && !found.error;
  const groups: DrawnGroup[] = found.groups.map((group) => {
    const isWhole = isAlone || opened.includes(group.id);
    const shown = isWhole ? group.rows : group.rows.slice(0, fewRows);
    return { ...group, shown, more: toMore(group, shown.length) };
  });
  if (isEmpty && !isAlone) groups.push({ id: "ask", rows: [ask], shown: [ask], more: null });
  const rows = groups.flatMap(({ shown, more }) => (more ? [...shown, more] : shown));
  const selected = rows.find(({ key }) => key === pointed) ?? rows[0];

  return {
    ...found,
    ...{ groups, isEmpty, selected, only, point },
    /** Round, up and down. */
    step(by: -1 | 1): void {
      const at = selected ? rows.indexOf(selected) : 0;
      point(rows[(at + by + rows.length) % rows.length]?.key);
    },
    narrow(id: GroupId | null): void {
      setOnly(id);
      point(undefined);
    },
    /** For another query. */
    begin(): void {
      setOpened([]);
      point(undefined);
    },
    take(row: PaletteRow, isBeside: boolean): void {
      const group = groups.find(({ more }) => more === row);
      if (group) {
        row.run?.();
        // The first of those that come, or the last one until they are there.
        point((group.rows[group.shown.length] ?? group.shown.at(-1))?.key);
        return;
      }
      if (row.href !== undefined && isBeside) {
        window.open(row.href, "_blank", "noopener");
        return;
      }
      close(row.href === undefined || isHere(row.href));
      closeDrawer();
      if (row.href !== undefined) go(row.href, push);
      // What it opens takes the focus after it was given back.
      else setTimeout(() => row.run?.());
    },
  };
}

/** Where nothing is mounted anew that would take the focus. */
const isHere = (href: string) => new URL(href, location.href).pathname === location.pathname;

/** To a place of this page without asking the server for the page; where one is already, one is taken there again. */
function go(href: string, push: (href: string) => void): void {
  const { history } = window;
  if (!isHere(href)) push(href);
  else if (new URL(href, location.href).href !== location.href) history.pushState(null, "", href);
  else {
    history.replaceState(null, "", location.pathname);
    setTimeout(() => history.replaceState(null, "", href));
  }
}

/** Comes after all the others, then all of them again. */
export function groupAfter(ids: readonly GroupId[], only: GroupId | null, by: 1 | -1 = 1): GroupId | null {
  const ring = [null, ...ids];
  return ring[(ring.indexOf(only) + by + ring.length) % ring.length] ?? null;
}

function useMoreRow(open: (id: GroupId) => void, loadMore: () => void) {
  const t = useTranslations("palette");
  return ({ id, rows, hasMore = false }: PaletteGroup, shown: number): PaletteRow | null => {
    const left = rows.length - shown;
    if (left <= 0 && !hasMore) return null;
    return {
      key: `more-${id}`,
      title: left > 0 ? t(hasMore ? "showOrMore" : "showMore", { count: left }) : t("showOlder"),
      run: () => (left > 0 ? open(id) : loadMore()),
    };
  };
}

/** Where nothing was found: what was looked for, in the field of a new conversation. */
function useAskRow(query: string): PaletteRow {
  const t = useTranslations("palette");
  const router = useRouter();
  const text = query.trim();
  return {
    key: "ask",
    icon: "newChat",
    title: t("ask"),
    run: () => {
      const write = pageCommand("write");
      if (location.pathname === "/" && write) return write(text);
      const draft = readDraft(null);
      writeDraft(null, draft === "" ? text : `${draft}\n${text}`);
      router.push("/");
    },
  };
}
