"use client";

import { useEffect } from "react";

/** Words before the title of the tab, whatever title the page gives it meanwhile. */
export function useTabTitle(prefix: string): void {
  useEffect(() => {
    if (prefix === "") return;
    const write = () => {
      if (!document.title.startsWith(prefix)) document.title = prefix + document.title;
    };
    write();
    const observer = new MutationObserver(write);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      if (document.title.startsWith(prefix)) document.title = document.title.slice(prefix.length);
    };
  }, [prefix]);
}
