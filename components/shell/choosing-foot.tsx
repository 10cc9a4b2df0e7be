"use client";

import { useEffect } from "react";
import { useTranslations } from "use-intl";
import { Button, buttonClass } from "@/components/ui/controls/button";
import { download } from "@/components/ui/download";
import { fetchAhead } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import { listedConversations } from "@/lib/client/conversation/conversations";
import { useChosen } from "./choosing";
import { type Tidying, tidy } from "./tidy";
import { useMoveEntries } from "./use-move-entries";

/** What can be done with those that are chosen, in the place of servers and settings. */
export default function ChoosingFoot() {
  const t = useTranslations("shell");
  const choosing = useTranslations("shell.choosing");
  const ids = [...(useChosen() ?? [])];
  const items = listedConversations(ids);
  useEffect(() => fetchAhead({ read: () => import("./tidier") }), []);
  const isEmpty = items.length === 0;
  const move = useMoveEntries(items);
  const act = (action: Exclude<Tidying["action"], "move">) => tidy({ action, items });
  return (
    <footer className="flex-none p-2 rule-t">
      <fieldset className="flex flex-wrap justify-between [&>button]:px-1" aria-label={choosing("actions")}>
        <Menu
          side="top"
          trigger={{ className: buttonClass("quiet", true), disabled: isEmpty, children: choosing("move") }}
          entries={move.entries}
        />
        <Button small tone="quiet" disabled={isEmpty} onClick={() => act("archive")}>
          {t("archive")}
        </Button>
        <Button small tone="quiet" disabled={isEmpty} onClick={() => exportAll(items.map(({ id }) => id))}>
          {choosing("export")}
        </Button>
        <Button small tone="quiet" disabled={isEmpty} onClick={() => act("delete")}>
          {t("delete")}
        </Button>
      </fieldset>
      <p className="px-2 text-micro leading-7 text-ink-3 phone:hidden">{choosing("hint")}</p>
      {move.dialog}
    </footer>
  );
}

/** As many as one zip may be asked for. */
const zipped = 200;

function exportAll(ids: readonly string[]): void {
  for (let at = 0; at < ids.length; at += zipped)
    download(`/api/export?ids=${ids.slice(at, at + zipped).join(",")}`);
}
