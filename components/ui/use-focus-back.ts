"use client";

import { type FocusEvent, useEffect, useRef } from "react";

/**
 * For the handlers of an element: when what has the focus in it goes from the page, as a button does that was pressed,
 * `next` gives the focus away again. Otherwise whoever uses the keyboard begins anew at the top of the page.
 */
export function useFocusBack(next: () => void): {
  onFocus(event: FocusEvent): void;
  onBlur(event: FocusEvent): void;
} {
  const focused = useRef<Element | null>(null);
  useEffect(() => {
    if (!focused.current || focused.current.isConnected) return;
    focused.current = null;
    if (document.activeElement === document.body) next();
  });
  return {
    onFocus: (event) => {
      focused.current = event.target;
    },
    // A person has left it. React tells no blur of what it removes itself, but one of a button that works and then goes.
    onBlur: (event) => {
      if (!event.target.matches(":disabled")) focused.current = null;
    },
  };
}
