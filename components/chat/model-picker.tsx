"use client";

import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { Menu, type MenuEntry } from "@/components/ui/menu";
import { useModels } from "@/lib/client/models";
import type { ModelItem } from "@/lib/protocol/http";
import type { SendChoices } from "./use-send-options";

export function ModelPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer");
  const { data } = useModels();
  const items = data?.items ?? [];
  const chosen =
    items.find(({ id }) => id === options.model) ?? items.find(({ id }) => id === data?.defaultModel);
  const name = chosen?.name ?? options.model ?? t("model");
  return (
    <Menu
      side="top"
      entries={items.flatMap((item) => entriesOf(item, item === chosen, options.setModel))}
      trigger={{
        className: "pick",
        "aria-label": t("modelLabel", { name }),
        children: (
          <>
            <span className="truncate">{name}</span>
            <Icon name="chevronDown" size={12} className="phone:hidden" />
          </>
        ),
      }}
    />
  );
}

/** One that cannot be reached is shown with the reason, so that one knows what to do. */
function entriesOf(item: ModelItem, chosen: boolean, choose: (id: string) => void): MenuEntry[] {
  const { id, name, provider, reachable, reason } = item;
  const entry: MenuEntry = {
    kind: "choice",
    label: name,
    note: provider,
    chosen,
    disabled: !reachable,
    onSelect: () => choose(id),
  };
  return reachable || !reason ? [entry] : [entry, { kind: "label", label: reason }];
}
