"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, IconButton } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import type { SavedRequests } from "@/lib/client/servers/saved-requests";

type Args = Record<string, unknown>;

export interface SavedArgumentsProps {
  tool: string;
  saved: SavedRequests;
  /** What would be kept; null while it cannot be read. */
  args: Args | null;
  onUse(args: Args): void;
}

/** Arguments of a tool that are kept under a name, to be filled in again. */
export function SavedArguments({ tool, saved, args, onUse }: SavedArgumentsProps) {
  const t = useTranslations("server.saved");
  const act = useAct();
  const [name, setName] = useState<string | null>(null);
  const items = saved.items.filter((item) => item.tool === tool);
  const keep = async () => {
    if (!name?.trim() || !args) return;
    if (await act(() => saved.save({ tool, name: name.trim(), args }))) setName(null);
  };
  return (
    <div className="saved">
      {items.length > 0 && (
        <ul aria-label={t("label")}>
          {items.map((item) => (
            <li key={item.id}>
              <button
                type="button"
                aria-label={t("use", { name: item.name })}
                onClick={() => onUse(item.args)}
              >
                {item.name}
              </button>
              <IconButton
                icon="cross"
                iconSize={12}
                label={t("drop", { name: item.name })}
                onClick={() => act(() => saved.drop(item.id))}
              />
            </li>
          ))}
        </ul>
      )}
      {name === null ? (
        <button type="button" className="call-raw" disabled={!args} onClick={() => setName("")}>
          {t("keep")}
        </button>
      ) : (
        <div className="flex items-end gap-2">
          <Field
            label={t("name")}
            autoFocus
            maxLength={80}
            value={name}
            onChange={({ target }) => setName(target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setName(null);
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              event.stopPropagation();
              void keep();
            }}
          />
          <Button disabled={!name.trim() || !args} onClick={keep}>
            {t("submit")}
          </Button>
        </div>
      )}
    </div>
  );
}
