"use client";

import { useRouter } from "next/navigation";
import { type ComponentProps, memo, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { usePageCommand } from "@/components/shell/page-commands";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { useFocusBack } from "@/components/ui/use-focus-back";
import { useSentence } from "@/components/ui/words/sentences";
import { groupModels } from "@/lib/client/conversation/find-models";
import { lookForModels as lookAgain, useModel, useModels } from "@/lib/client/conversation/models";
import type { ModelItem } from "@/lib/protocol/settings";
import type { ModelSearchProps } from "./model-search";
import { pickLook } from "./pick-look";
import type { SendChoices } from "./use-send-options";

/** A menu of more is a list to search in. */
const maxInMenu = 24;

export const ModelPicker = memo(function ModelPicker({
  options,
  onCompare,
}: {
  options: Pick<SendChoices, "model" | "setModel">;
  /** Several are to be chosen, to answer beside each other; absent where only one can. */
  onCompare?: () => void;
}) {
  const t = useTranslations("chat.composer");
  const { data, error } = useModels();
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  // Another picker than before has another button.
  const focusBack = useFocusBack(() => place.current?.querySelector("button")?.focus());
  const items = data?.items ?? [];
  const compare = items.filter(({ reachable }) => reachable).length > 1 ? onCompare : undefined;
  usePageCommand("compare", compare);
  const isGone =
    data !== undefined && options.model !== null && !items.some(({ id }) => id === options.model);
  const found = useModel(options.model);
  const chosen = isGone ? undefined : found;
  const name = chosen?.name ?? options.model ?? t("model");
  const trigger = {
    // Which model answers is read first: the servers give way to it.
    className: cn(pickLook, "max-w-[45%] shrink-0", isGone && "text-shu"),
    "aria-label": t("modelLabel", { name }),
    children: (
      <>
        <span className="truncate">{name}</span>
        <Icon name="chevronDown" size={12} className="phone:hidden" />
      </>
    ),
  };
  const isKnown = data !== undefined || error !== undefined;
  const Picker = !isKnown ? ComingPicker : items.length > maxInMenu ? SearchPicker : MenuPicker;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing to press; whoever reaches for it sees what answers now
    <span
      ref={place}
      className="contents"
      onPointerEnter={lookAgain}
      onFocus={(event) => {
        focusBack.onFocus(event);
        lookAgain();
      }}
      onBlur={focusBack.onBlur}
    >
      <Picker
        items={items}
        chosen={chosen?.id}
        {...(isGone && { gone: t("modelGone", { name }) })}
        trigger={trigger}
        isOpen={isOpen}
        onOpenChange={setOpen}
        onChoose={options.setModel}
        onCompare={compare}
      />
    </span>
  );
});

interface PickerProps {
  items: readonly ModelItem[];
  chosen: string | undefined;
  /** Why what was chosen cannot be used. */
  gone?: string;
  trigger: ComponentProps<"button">;
  /** Also before the models are known, and where another picker takes the place of this one. */
  isOpen: boolean;
  onOpenChange(isOpen: boolean): void;
  onChoose(id: string): void;
  /** Undefined where there is nothing to compare. */
  onCompare: (() => void) | undefined;
}

/** Whether it is a menu or a search is known with the models: what was pressed until then opens it, unless the focus has gone on. */
function ComingPicker({ trigger, onOpenChange }: PickerProps) {
  return (
    <button
      type="button"
      {...trigger}
      aria-haspopup="true"
      aria-expanded={false}
      onClick={() => onOpenChange(true)}
      onBlur={() => onOpenChange(false)}
    />
  );
}

function MenuPicker({ items, chosen, gone, trigger, isOpen, onOpenChange, ...rest }: PickerProps) {
  const { onChoose, onCompare } = rest;
  const t = useTranslations("chat.composer");
  const inWords = useSentence();
  const router = useRouter();
  const isGrouped = items.some(({ endpoint }) => endpoint !== undefined);
  const entriesOf = (item: ModelItem): MenuEntry[] => {
    const { id, name, provider, reachable, reason, capabilities, price } = item;
    const notes = [
      !isGrouped && provider,
      !capabilities.tools && provider !== "demo" && t("toolsAsJson"),
      reachable && price === null && t("priceUnknown"),
    ].filter((note) => note !== false);
    const entry: MenuEntry = {
      kind: "choice",
      label: name,
      ...(notes.length > 0 && { note: notes.join(" · ") }),
      chosen: id === chosen,
      disabled: !reachable,
      onSelect: () => onChoose(id),
    };
    // One that cannot be reached is shown with the reason, so that one knows what to do.
    return reachable || !reason ? [entry] : [entry, { kind: "label", label: inWords(reason) }];
  };
  const models: MenuEntry[] = isGrouped
    ? groupModels(items).map((group) => ({
        kind: "group",
        label: group.label,
        entries: group.items.flatMap(entriesOf),
      }))
    : items.flatMap(entriesOf);
  const warning: MenuEntry[] = gone ? [{ kind: "label", label: gone, warns: true }] : [];
  const settings: MenuEntry = {
    label: t("modelSettings"),
    icon: "plus",
    onSelect: () => router.push("/settings/models"),
  };
  // After the menu has given the focus back, or that would take it from the dialog.
  const compare: MenuEntry[] = onCompare
    ? [{ label: t("compareModels"), icon: "columns", onSelect: () => void setTimeout(onCompare) }]
    : [];
  return (
    <Menu
      side="top"
      entries={[...warning, ...models, { kind: "rule" }, ...compare, settings]}
      trigger={trigger}
      startsOpen={isOpen}
      onOpenChange={onOpenChange}
    />
  );
}

const search = latePart<ModelSearchProps>(() => import("./model-search"));
const preload = () => fetchAhead(search);

function SearchPicker({ trigger, isOpen, onOpenChange, ...rest }: PickerProps) {
  const ModelSearch = useLatePart(search, isOpen);
  return (
    <>
      <button
        type="button"
        {...trigger}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => onOpenChange(true)}
      />
      {isOpen && ModelSearch && <ModelSearch {...rest} onClose={() => onOpenChange(false)} />}
    </>
  );
}
