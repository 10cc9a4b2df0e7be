"use client";

import { type ReactNode, useEffect, useId, useRef } from "react";
import { cn } from "@/components/ui/cn";
import { IconButton } from "@/components/ui/controls/button";
import { hasFinePointer } from "@/components/ui/has-fine-pointer";
import { useFocusBack } from "@/components/ui/use-focus-back";

export interface DialogProps {
  title: string;
  /** One sentence under the title. */
  lede?: ReactNode;
  /** In px; phones always get the whole width, at the bottom. */
  width?: number;
  closeLabel: string;
  onClose(): void;
  /** False where a slip beside it would lose what is shown once. */
  closesBeside?: boolean;
  children: ReactNode;
  /** The answers; the ink one comes last. */
  actions?: ReactNode;
  className?: string;
}

const sheetClass = cn(
  "m-auto max-h-[calc(100dvh-48px)] w-[min(var(--sheet-width),calc(100vw-32px))] flex-col rounded-box border border-rule-2 bg-paper p-0 text-ink shadow-lift outline-none",
  "open:flex open:animate-[appear_var(--calm)_var(--ease)]",
  // The page behind it goes pale, not dark.
  "backdrop:animate-[appear_var(--calm)_var(--ease)] backdrop:bg-[color-mix(in_srgb,var(--paper)_70%,transparent)]",
  "phone:mb-0 phone:max-h-[calc(100dvh-24px)] phone:w-screen phone:max-w-screen phone:rounded-b-none phone:border-x-0 phone:border-b-0",
);

const firstField = "[data-part=body] :is(input:not([type=radio], [type=checkbox]), textarea, select)";
/** Where there is nothing to write: what is chosen of some words. */
const chosenWord = "[data-part=body] input[type=radio]:checked";

/**
 * A question in front of the page, open for as long as it is rendered. It is the browser's own `<dialog>`: focus stays
 * inside and returns to where it was, Escape closes, and the page behind is inert, all without a library. Focus begins
 * in the first field where there is a fine pointer, else on the first answer; also after what had it is gone.
 */
export function Dialog({
  title,
  lede,
  width = 560,
  closeLabel,
  onClose,
  closesBeside = true,
  children,
  actions,
  className,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const focusBack = useFocusBack(() => dialog.current && begin(dialog.current));
  useEffect(() => {
    const element = dialog.current;
    // Focus is the browser's to give back, and only to what held it before showModal().
    const before = document.activeElement;
    element?.showModal();
    if (element) begin(element);
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      className={cn(sheetClass, className)}
      style={{ "--sheet-width": `${width}px` } as React.CSSProperties}
      aria-labelledby={id}
      {...focusBack}
      // Browsers let a page keep them from closing by a second Escape in a row only where it takes the key.
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented || event.nativeEvent.isComposing) return;
        event.preventDefault();
        onClose();
      }}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClose={() => {
        if (dialog.current && !dialog.current.open) dialog.current.showModal();
      }}
      onMouseDown={(event) => {
        if (closesBeside && event.target === dialog.current) onClose();
      }}
    >
      <header className="flex flex-none items-start gap-3 px-6 pt-5 phone:px-4">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="font-voice text-[22px] leading-8">
            {title}
          </h2>
          {lede && <p className="text-mach text-ink-2">{lede}</p>}
        </div>
        <IconButton
          icon="cross"
          iconSize={14}
          label={closeLabel}
          tipSide="right-edge"
          onClick={onClose}
          className="-mr-2"
        />
      </header>
      <div data-part="body" className="min-h-0 flex-1 overflow-y-auto px-6 pt-4 pb-6 phone:px-4">
        {children}
      </div>
      {actions && (
        <footer className="flex flex-none flex-wrap justify-end gap-2 px-6 py-3 rule-t phone:px-4 phone:[&>button]:mr-0 phone:[&>button]:flex-1 phone:[&>button]:justify-center">
          {actions}
        </footer>
      )}
    </dialog>
  );
}

/** By itself the browser takes the first button, which closes. While no answer can be given, the dialog itself has the focus. */
function begin(dialog: HTMLElement): void {
  const find = (selector: string) => dialog.querySelector<HTMLElement>(selector);
  const field = hasFinePointer() ? (find(firstField) ?? find(chosenWord)) : null;
  (field ?? find("footer > button:enabled") ?? dialog).focus();
}
