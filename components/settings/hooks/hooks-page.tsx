"use client";

import { useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { LoadState } from "@/components/settings/load-state";
import { PageHead } from "@/components/settings/page-head";
import RemovalDialog from "@/components/settings/removal-dialog";
import { Rows, RowsHead } from "@/components/settings/rows";
import { ShownOnce } from "@/components/settings/shown-once";
import { Button } from "@/components/ui/controls/button";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { deleteHook, refreshHooks, useHooks } from "@/lib/client/settings/hooks";
import type { HookItem, NewHook } from "@/lib/protocol/hooks";
import { DeliveryList } from "./delivery-list";
import { HookDialog } from "./hook-dialog";
import { HookRow, hookColumns, placeOf } from "./hook-row";

/** Addresses that are told of runs, and what became of it. */
export function HooksPage() {
  const t = useTranslations("settings.hooks");
  const add = useRef<HTMLButtonElement>(null);
  const focusBack = useFocusBack(() => add.current?.focus());
  const { data, error } = useHooks();
  /** Null: no dialog; undefined as hook: a new one. */
  const [edited, setEdited] = useState<{ hook?: HookItem } | null>(null);
  const [made, setMade] = useState<NewHook>();
  const [deleted, setDeleted] = useState<HookItem>();
  const [open, setOpen] = useState<string>();
  const hooks = data?.items ?? [];
  const off = hooks.filter((hook) => hook.off !== null).length;
  const shown =
    hooks.find(({ id }) => id === open) ??
    hooks.find((hook) => hook.off ?? hook.lastDay.failed > 0) ??
    hooks[0];
  return (
    <div {...focusBack}>
      <PageHead title={t("title")} lede={<p>{t("lede", { off })}</p>}>
        <Button ref={add} icon="plus" onClick={() => setEdited({})}>
          {t("add")}
        </Button>
      </PageHead>
      {!data ? (
        <LoadState error={error} onRetry={refreshHooks} lines={2} />
      ) : hooks.length === 0 ? (
        <p className="py-3 text-mach text-ink-2">{t("none")}</p>
      ) : (
        <Rows aria-label={t("title")}>
          <RowsHead columns={hookColumns}>
            <span />
            <span>{t("address")}</span>
            <span>{t("when")}</span>
            <span>{t("lastDay")}</span>
            <span />
          </RowsHead>
          {hooks.map((hook) => (
            <HookRow
              key={hook.id}
              hook={hook}
              isOpen={hook.id === shown?.id}
              onOpen={() => setOpen(hook.id)}
            />
          ))}
        </Rows>
      )}
      {shown && (
        <DeliveryList
          key={shown.id}
          hook={shown}
          onChange={() => setEdited({ hook: shown })}
          onDelete={() => setDeleted(shown)}
        />
      )}
      {edited && (
        <HookDialog
          hook={edited.hook}
          onClose={() => setEdited(null)}
          onDone={(hook) => {
            setEdited(null);
            setOpen(hook.id);
            if ("secret" in hook) setMade(hook);
          }}
        />
      )}
      {made && (
        <ShownOnce
          title={placeOf(made)}
          note={t("madeNote")}
          label={t("secret")}
          copyLabel={t("copy")}
          value={made.secret}
          onClose={() => setMade(undefined)}
        />
      )}
      {deleted && (
        <RemovalDialog
          title={t("deleteTitle", { address: placeOf(deleted) })}
          text={t("deleteText")}
          action={t("delete")}
          done={t("deleted")}
          remove={() => deleteHook(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </div>
  );
}
