"use client";

import { type FocusEvent, type RefObject, useRef } from "react";
import { useFocusBack } from "@/components/ui/use-focus-back";

/** For a list of rows: when the one with the focus goes, the one in its place has it. */
export function useRowFocus(list: RefObject<HTMLElement | null>) {
  const at = useRef(0);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
  const { onFocus, onBlur } = useFocusBack(() => {
    const all = rows();
    all[Math.min(at.current, all.length - 1)]?.focus({ preventScroll: true });
  });
  return {
    onFocus(event: FocusEvent) {
      const row = (event.target as Element).closest(".group")?.querySelector<HTMLElement>("a[data-row]");
      if (row) at.current = rows().indexOf(row);
      onFocus(event);
    },
    onBlur,
  };
}
