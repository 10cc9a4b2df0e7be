"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { toggleSide } from "./side";

const shortcutSheet = latePart(() => import("./shortcut-sheet"));

/** The keys that work everywhere. They stay quiet while an input method composes and in front of an open dialog. */
export function Shortcuts() {
  const router = useRouter();
  const [sheet, setSheet] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = actionOf(event);
      if (!act || event.isComposing || document.querySelector("dialog[open]:not([data-drawer])")) return;
      event.preventDefault();
      switch (act) {
        case "newChat":
          return router.push("/");
        case "settings":
          return router.push("/settings");
        case "sidebar":
          return toggleSide();
        case "sheet":
          return setSheet(true);
      }
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [router]);
  const ShortcutSheet = useLatePart(shortcutSheet, sheet);
  return ShortcutSheet && <ShortcutSheet onClose={() => setSheet(false)} />;
}

type Action = "newChat" | "settings" | "sidebar" | "sheet";

function actionOf(event: KeyboardEvent): Action | undefined {
  if (!(event.metaKey || event.ctrlKey) || event.altKey) return undefined;
  if (event.shiftKey) return ({ KeyO: "newChat", KeyS: "sidebar" } as const)[event.code];
  return ({ ".": "settings", "/": "sheet" } as const)[event.key];
}
