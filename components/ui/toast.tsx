"use client";

import { useEffect, useRef, useSyncExternalStore } from "react";
import { cn } from "./cn";

export interface Toast {
  id: number;
  text: string;
  /** Something went wrong: stays until it is put away. */
  failed: boolean;
  stays?: boolean;
  action?: { label: string; run(): void };
}

/** Says that something was done, for 6 s, with a way back if there is one. */
export function notify(text: string, action?: Toast["action"]): void {
  const toast = add({ text, failed: false, ...(action && { action }) });
  setTimeout(() => dismiss(toast), 6000);
}

/** Says what went wrong and what to do next, until the person puts it away. */
export function notifyFailure(text: string): void {
  add({ text, failed: true });
}

/** Says that something goes on, until the person or the returned function puts it away. */
export function notifyOngoing(text: string, action: NonNullable<Toast["action"]>): () => void {
  const toast = add({ text, failed: false, stays: true, action });
  return () => dismiss(toast);
}

/** Mounted once, in the layout. At most three, above everything, and at the top, where they never lie over the composer. */
export function Toaster({ closeLabel }: { closeLabel: string }) {
  const toasts = useSyncExternalStore(
    subscribe,
    () => shown,
    () => nothing,
  );
  const layer = useRef<HTMLElement>(null);
  useEffect(() => {
    // Shown again with each message: the newest layer is above an open dialog.
    if (layer.current?.matches(":popover-open")) layer.current.hidePopover();
    if (toasts.length > 0) layer.current?.showPopover();
  }, [toasts]);
  return (
    <section ref={layer} popover="manual" className={layerClass} aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={toastClass} data-failed={toast.failed || undefined}>
          <span className="min-w-0 flex-1">{toast.text}</span>
          {toast.action && (
            <button
              type="button"
              className="underline underline-offset-3"
              onClick={() => {
                toast.action?.run();
                dismiss(toast);
              }}
            >
              {toast.action.label}
            </button>
          )}
          {(toast.failed || toast.stays) && (
            <button type="button" className="underline underline-offset-3" onClick={() => dismiss(toast)}>
              {closeLabel}
            </button>
          )}
        </div>
      ))}
    </section>
  );
}

const layerClass = cn(
  "inset-x-0 top-14 bottom-auto mx-auto w-[min(420px,calc(100vw-32px))] gap-2 overflow-visible border-0 bg-transparent p-0 open:grid",
  // In the middle of what is beside the sidebar, where there is one.
  "min-[721px]:[:root[data-side=open]_&]:left-(--side)",
);
const toastClass = cn(
  "flex animate-[appear_var(--calm)_var(--ease)] items-baseline gap-3 rounded-control bg-ink px-3.5 py-2.5 text-mach wrap-anywhere text-on-ink shadow-lift outline outline-transparent",
  "data-failed:rounded-none data-failed:border-t-2 data-failed:border-shu data-failed:bg-shu-wash data-failed:text-ink",
);

const nothing: readonly Toast[] = [];
let shown: readonly Toast[] = nothing;
let lastId = 0;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function add(toast: Omit<Toast, "id">): Toast {
  const added = { ...toast, id: ++lastId };
  publish([...shown.filter((other) => other.text !== toast.text), added].slice(-3));
  return added;
}

function dismiss(toast: Toast): void {
  publish(shown.filter((other) => other.id !== toast.id));
}

function publish(next: readonly Toast[]): void {
  shown = next;
  for (const listener of listeners) listener();
}
