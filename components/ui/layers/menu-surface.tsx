"use client";

import * as Dropdown from "radix-ui/dropdown-menu";
import { type FocusEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import type { MenuEntry, MenuProps } from "./menu-entry";

export interface MenuSurfaceProps extends Omit<MenuProps, "startsOpen"> {
  /** Opened by a key: then its first entry has the focus, as from the second time on. */
  byKeyboard: boolean;
}

/**
 * The menu itself, open from the start: it is rendered when it was asked for. What was chosen happens once the menu is
 * gone and has given the focus back, or it would take it away from the field or dialog that was chosen.
 */
export default function MenuSurface({
  trigger,
  entries,
  onOpenChange,
  align = "start",
  side = "bottom",
  byKeyboard,
}: MenuSurfaceProps) {
  const [open, setOpen] = useState(true);
  const isOpen = useRef(true);
  const button = useRef<HTMLButtonElement>(null);
  // In the place of the button that was pressed: until the menu has the focus somebody else would take it, and close the menu.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) button.current?.focus({ preventScroll: true });
  }, []);
  const toFirst = useRef(byKeyboard);
  const focused = ({ target, currentTarget }: FocusEvent<HTMLElement>) => {
    if (!toFirst.current || target !== currentTarget) return;
    toFirst.current = false;
    currentTarget.querySelector<HTMLElement>('[role^="menuitem"]:not([data-disabled])')?.focus();
  };
  const change = (next: boolean) => {
    isOpen.current = next;
    setOpen(next);
    onOpenChange?.(next);
  };
  // Inside a landmark, and above an open dialog rather than behind it.
  const [home] = useState(
    () => document.querySelector<HTMLElement>("dialog[open]") ?? document.getElementById("main"),
  );
  const chosen = useRef<() => void>(undefined);
  const choose = (act: () => void) => {
    chosen.current = act;
  };
  const closed = (event: Event) => {
    // A timer after it: a menu that was opened again in between keeps the focus, or losing it would close it.
    if (isOpen.current) event.preventDefault();
    // After this event, at whose end the button gets the focus.
    if (chosen.current) queueMicrotask(chosen.current);
    chosen.current = undefined;
  };
  return (
    <Dropdown.Root open={open} onOpenChange={change} modal={false}>
      <Dropdown.Trigger ref={button} type="button" {...trigger} />
      <Dropdown.Portal container={home}>
        <Dropdown.Content
          className={menuLook}
          align={align}
          side={side}
          sideOffset={4}
          collisionPadding={8}
          loop
          onFocus={focused}
          onCloseAutoFocus={closed}
        >
          <Rows entries={entries} onChoose={choose} home={home} />
        </Dropdown.Content>
      </Dropdown.Portal>
    </Dropdown.Root>
  );
}

interface RowsProps {
  entries: readonly MenuEntry[];
  onChoose(act: () => void): void;
  home: HTMLElement | null;
}

function Rows({ entries, ...rest }: RowsProps) {
  return entries.map((entry, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: rules and labels have no identity, and the list is fixed while open
    <Row key={index} entry={entry} {...rest} />
  ));
}

function Row({ entry, onChoose, home }: Omit<RowsProps, "entries"> & { entry: MenuEntry }) {
  switch (entry.kind) {
    case "rule":
      return <Dropdown.Separator className="mx-2 my-1 h-px bg-rule" />;
    case "label":
      return (
        <Dropdown.Label
          className={cn("px-2 pt-1.5 pb-0.5 text-micro", entry.warns ? "text-shu" : "text-ink-3")}
        >
          {entry.label}
        </Dropdown.Label>
      );
    case "group":
      return (
        <Dropdown.Group aria-label={entry.label}>
          <Dropdown.Label aria-hidden className="px-2 pt-1.5 pb-0.5 text-micro text-ink-3">
            {entry.label}
          </Dropdown.Label>
          <Rows entries={entry.entries} onChoose={onChoose} home={home} />
        </Dropdown.Group>
      );
    case "choice":
      return (
        <Dropdown.CheckboxItem
          className={rowLook}
          checked={entry.chosen}
          disabled={entry.disabled ?? false}
          onSelect={() => onChoose(entry.onSelect)}
        >
          <span className="w-3.5 flex-none">{entry.chosen && <Icon name="check" size={14} />}</span>
          <Words entry={entry} />
        </Dropdown.CheckboxItem>
      );
    case "sub":
      return (
        <Dropdown.Sub>
          <Dropdown.SubTrigger className={rowLook}>
            <span className="min-w-0 flex-1 wrap-anywhere">{entry.label}</span>
            <Icon name="chevronRight" size={12} className="text-ink-3" />
          </Dropdown.SubTrigger>
          <Dropdown.Portal container={home}>
            <Dropdown.SubContent className={menuLook} collisionPadding={8} loop>
              <Rows entries={entry.entries} onChoose={onChoose} home={home} />
            </Dropdown.SubContent>
          </Dropdown.Portal>
        </Dropdown.Sub>
      );
    case "item":
    case undefined:
      return (
        <Dropdown.Item
          className={rowLook}
          disabled={entry.disabled ?? false}
          onSelect={() => onChoose(entry.onSelect)}
        >
          {entry.icon && <Icon name={entry.icon} size={14} className="text-ink-3" />}
          <Words entry={entry} />
        </Dropdown.Item>
      );
  }
}

function Words({ entry: { label, note } }: { entry: { label: ReactNode; note?: ReactNode } }) {
  return (
    <>
      <span className="min-w-0 wrap-anywhere">{label}</span>
      {note && (
        <small className="ml-auto max-w-3/5 text-right text-[12px]/5 wrap-anywhere text-ink-3">{note}</small>
      )}
    </>
  );
}

const menuLook =
  "z-40 max-h-(--radix-dropdown-menu-content-available-height) max-w-[min(320px,calc(100vw-16px))] min-w-45 animate-appear overflow-y-auto rounded-control border border-rule-2 bg-raised p-1 text-mach shadow-lift";
const rowLook =
  "flex min-h-7 cursor-default items-center gap-2 rounded-chip px-2 py-1 text-ink outline-none select-none data-disabled:text-ink-3 data-highlighted:bg-paper-3 phone:min-h-11";
