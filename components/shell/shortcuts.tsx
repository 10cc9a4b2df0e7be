"use client";

import { useEffect } from "react";
import { useGo } from "@/components/ui/go";
import { fetchAhead, useLatePart } from "@/components/ui/late-part";
import { useTypedAhead } from "@/components/ui/typed-ahead";
import { isKeys, pageKeys, pressLastKey } from "./keys";
import { openPalette, openSheet, palette, shortcutSheet, showLayer, usePageLayer } from "./page-layers";
import { toggleSide } from "./side";

/** By then the first view is drawn, and whoever reaches for the palette has it at once. */
const restMs = 5_000;

/** What lies over the page keeps the focus. */
const busy = "dialog[open]:not([data-drawer]), [role=menu]";

/** The keys that work everywhere. They stay quiet while an input method composes and in front of an open dialog or menu. */
export function Shortcuts() {
  const go = useGo();
  useEffect(() => {
    const acts = {
      palette: openPalette,
      newChat: () => go("/"),
      temporaryChat: () =>
        void import("@/components/chat/temporary/begin-temporary").then(({ beginTemporary }) =>
          beginTemporary(go),
        ),
      settings: () => go("/settings"),
      sidebar: toggleSide,
      sheet: openSheet,
    };
    const press = (event: KeyboardEvent) => {
      if (event.isComposing || document.querySelector(busy)) return;
      for (const [name, act] of Object.entries(acts))
        if (isKeys(event, pageKeys[name as keyof typeof acts])) {
          event.preventDefault();
          act();
        }
    };
    window.addEventListener("keydown", press);
    pressLastKey(press);
    const timer = setTimeout(() => fetchAhead(palette), restMs);
    return () => {
      window.removeEventListener("keydown", press);
      clearTimeout(timer);
    };
  }, [go]);
  const layer = usePageLayer();
  const Palette = useLatePart(palette, layer === "palette");
  const ShortcutSheet = useLatePart(shortcutSheet, layer === "sheet");
  const close = () => showLayer(null);
  const typed = useTypedAhead(layer === "palette" && !Palette, close);
  return Palette ? (
    <Palette typed={typed} onClose={close} />
  ) : (
    ShortcutSheet && <ShortcutSheet onClose={close} />
  );
}
