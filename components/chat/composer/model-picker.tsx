"use client";

import { useRouter } from "next/navigation";
import { memo } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { lookForModels as lookAgain, useModel, useModels } from "@/lib/client/conversation/models";
import type { ModelItem } from "@/lib/protocol/settings";
import { pickLook } from "./pick-look";
import type { SendChoices } from "./use-send-options";

export const ModelPicker = memo(function ModelPicker({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer");
  const router = useRouter();
  const { data } = useModels();
  const items = data?.items ?? [];
  const chosen = useModel(options.model);
  const name = chosen?.name ?? options.model ?? t("model");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing to press; whoever reaches for it sees what answers now
    <span className="contents" onPointerEnter={lookAgain} onFocus={lookAgain}>
      <Menu
        side="top"
        entries={[
          ...items.flatMap((item) => entriesOf(item, item === chosen, t("toolsAsJson"), options.setModel)),
          { kind: "rule" },
          { label: t("modelSettings"), icon: "plus", onSelect: () => router.push("/settings/models") },
        ]}
        trigger={{
          // Which model answers is read first: the servers give way to it.
          className: cn(pickLook, "max-w-[45%] shrink-0"),
          "aria-label": t("modelLabel", { name }),
          children: (
            <>
              <span className="truncate">{name}</span>
              <Icon name="chevronDown" size={12} className="phone:hidden" />
            </>
          ),
        }}
      />
    </span>
  );
});

/** One that cannot be reached is shown with the reason, so that one knows what to do. */
function entriesOf(
  item: ModelItem,
  chosen: boolean,
  toolsAsJson: string,
  choose: (id: string) => void,
): MenuEntry[] {
  const { id, name, provider, reachable, reason, capabilities } = item;
  const { tools } = capabilities;
  const entry: MenuEntry = {
    kind: "choice",
    label: name,
    note: tools || provider === "demo" ? provider : `${provider} · ${toolsAsJson}`,
    chosen,
    disabled: !reachable,
    onSelect: () => choose(id),
  };
  return reachable || !reason ? [entry] : [entry, { kind: "label", label: reason }];
}
