"use client";

import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import { isKeys, pageKeys } from "@/components/shell/keys";
import { cn } from "@/components/ui/cn";
import { Button } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { useSlow } from "@/components/ui/skeleton";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { PaletteKeys } from "./palette-keys";
import { PaletteList, rowId } from "./palette-list";
import { groupAfter, usePalette } from "./use-palette";

export interface PaletteProps {
  /** Takes what was typed before it was there. */
  typed(): string;
  onClose(): void;
}

/** Finds conversations, messages, commands, pages of the settings, servers and models, and goes there. */
export default function Palette({ typed, onClose }: PaletteProps) {
  const t = useTranslations("palette");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const list = useId();
  const [written, write] = useState("");
  const [query, setQuery] = useState("");
  const { modal, field, keepFocus } = useModal(() => {
    const text = typed();
    if (text === "") return;
    write(text);
    setQuery(text);
  });
  const close = (givesFocusBack: boolean) => {
    if (!givesFocusBack) keepFocus();
    onClose();
  };
  const palette = usePalette(query, close);
  const { groups, selected, only, ids, isEmpty, isSettled, error } = palette;
  const look = (text: string) => {
    setQuery(text);
    palette.begin();
  };
  const clearOrClose = () => {
    if (written === "" && only === null) return close(true);
    write("");
    look("");
    palette.narrow(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    const { key } = event;
    // Or the browser would take them for itself.
    if (isKeys(event.nativeEvent, pageKeys.palette)) field.current?.select();
    else if (key === "Escape") clearOrClose();
    else if (key === "ArrowDown") palette.step(1);
    else if (key === "ArrowUp") palette.step(-1);
    else if (key === "Tab") palette.narrow(groupAfter(ids, only, event.shiftKey ? -1 : 1));
    else if (key === "Backspace" && written === "" && only !== null) palette.narrow(null);
    else if (key === "Enter") {
      if (selected) palette.take(selected, event.metaKey || event.ctrlKey);
      else if (error) palette.retry();
    } else return;
    event.preventDefault();
  };
  const count = groups.reduce((sum, { id, rows }) => sum + (id === "ask" ? 0 : rows.length), 0);
  const isCounted = query.trim() !== "" && isSettled && !isEmpty;
  return (
    <dialog
      ref={modal}
      aria-label={t("title")}
      className={dialogLook}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        event.preventDefault();
        clearOrClose();
      }}
      onMouseDown={(event) => {
        if (event.target === modal.current) close(true);
      }}
    >
      <div className="flex h-13 flex-none items-center gap-3 px-4 text-ink-3 rule-b">
        <Icon name="search" />
        {only && <span className="flex-none text-micro text-ink-2">{t(`group.${only}`)}</span>}
        <PaletteField
          field={field}
          list={list}
          written={written}
          isOpen={groups.length > 0}
          active={selected && rowId(list, selected.key)}
          onWrite={write}
          onLook={look}
        />
        <span role="status" className="flex-none text-micro">
          {!isSettled && <Searching />}
          {isCounted && t(groups.some(({ hasMore }) => hasMore) ? "foundOrMore" : "found", { count })}
        </span>
        <button
          type="button"
          className="-mr-1 hidden h-11 px-1 text-text text-ink-2 phone:block"
          onClick={() => close(true)}
        >
          {t("cancel")}
        </button>
      </div>
      {isEmpty && (
        <p role="status" className="px-4 pt-3 text-mach text-ink-2">
          {t("nothing", { query: query.trim() })}
        </p>
      )}
      {error && (
        <div className="px-4 pt-3 text-mach text-ink-2">
          <p role="alert">{t("searchFailed", { reason: errorText(error) })}</p>
          {/* The field keeps the focus, and takes the keys. */}
          <Button
            small
            tone="quiet"
            className="-ml-2"
            tabIndex={-1}
            onMouseDown={(event) => event.preventDefault()}
            onClick={palette.retry}
          >
            {common("tryAgain")}
          </Button>
        </div>
      )}
      <PaletteList
        id={list}
        groups={groups}
        words={palette.words}
        selected={selected?.key}
        onPoint={palette.point}
        onTake={palette.take}
      />
      <PaletteKeys next={groupAfter(ids, only)} />
    </dialog>
  );
}

/** Beside what is shown already; most answers come before anybody could read it. */
function Searching() {
  const t = useTranslations("palette");
  return useSlow() && t("searching");
}

interface PaletteFieldProps {
  field: RefObject<HTMLInputElement | null>;
  /** The id of the list that it chooses from. */
  list: string;
  written: string;
  isOpen: boolean;
  /** The id of the row that Enter takes. */
  active: string | undefined;
  onWrite(text: string): void;
  /** What an input method has not settled yet is not looked for. */
  onLook(text: string): void;
}

function PaletteField({ field, list, written, isOpen, active, onWrite, onLook }: PaletteFieldProps) {
  const t = useTranslations("palette");
  return (
    <input
      ref={field}
      role="combobox"
      aria-label={t("label")}
      aria-expanded={isOpen}
      aria-controls={list}
      aria-autocomplete="list"
      aria-activedescendant={active}
      className="h-13 min-w-0 flex-1 font-voice text-voice text-ink outline-none"
      placeholder={t("placeholder")}
      autoComplete="off"
      autoCapitalize="off"
      enterKeyHint="go"
      spellCheck={false}
      maxLength={200}
      value={written}
      onChange={({ target, nativeEvent }) => {
        onWrite(target.value);
        if (!(nativeEvent as InputEvent).isComposing) onLook(target.value);
      }}
      onCompositionEnd={({ currentTarget }) => onLook(currentTarget.value)}
    />
  );
}

const dialogLook = cn(
  "mx-auto mt-18 mb-0 max-h-[calc(100dvh-120px)] w-[min(656px,calc(100vw-32px))] flex-col overflow-hidden rounded-box border border-rule-2 bg-raised p-0 text-ink shadow-lift outline-none open:flex",
  "backdrop:bg-[color-mix(in_srgb,var(--paper)_70%,transparent)]",
  "phone:m-0 phone:h-dvh phone:max-h-none phone:w-screen phone:max-w-none phone:rounded-none phone:border-0",
);

/** Open for as long as it is rendered, with the focus in its field; afterwards the focus is where it was, unless that is not wanted. */
function useModal(onFocus: () => void) {
  const modal = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const givesBack = useRef(true);
  const atFocus = useRef(onFocus);
  useLayoutEffect(() => {
    const element = modal.current;
    const before = document.activeElement;
    element?.showModal();
    field.current?.focus();
    atFocus.current();
    return () => {
      element?.close();
      if (!givesBack.current) (document.activeElement as HTMLElement | null)?.blur();
      else if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const keepFocus = () => {
    givesBack.current = false;
  };
  return { modal, field, keepFocus };
}
