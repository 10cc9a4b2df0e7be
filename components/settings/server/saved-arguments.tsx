"use client";

import { useState } from "react";
import { useTranslations } from "use-intl";
import { useAct } from "@/components/settings/use-act";
import { Button, IconButton } from "@/components/ui/controls/button";
import { Field } from "@/components/ui/controls/field";
import { TextButton } from "@/components/ui/controls/text-button";
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
    <div className="mt-2 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2 phone:min-h-11">
      {items.length > 0 && (
        <ul aria-label={t("label")} className="flex flex-wrap gap-x-2 gap-y-1">
          {items.map((item) => (
            <li key={item.id} className="flex min-w-0 items-center rounded-control border border-rule">
              <button
                type="button"
                className="py-[3px] pl-2.5 text-left wrap-anywhere underline-offset-3 hover:underline phone:min-h-11"
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
        <TextButton disabled={!args} onClick={() => setName("")}>
          {t("keep")}
        </TextButton>
      ) : (
        <div className="flex items-center gap-2">
          <Field
            label={t("name")}
            hideLabel
            placeholder={t("name")}
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
