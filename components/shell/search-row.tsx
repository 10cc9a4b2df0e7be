"use client";

import { useTranslations } from "use-intl";
import { Icon } from "@/components/ui/icon";
import { ariaKeys, Key } from "@/components/ui/key";
import { fetchAhead } from "@/components/ui/late-part";
import { pageKeys } from "./keys";
import { openPalette, palette } from "./page-layers";

const preload = () => fetchAhead(palette);

/** Opens the palette, which is fetched as soon as somebody reaches for it. */
export function SearchRow() {
  const t = useTranslations("shell");
  return (
    <div className="flex-none px-2 pb-1">
      <button
        type="button"
        className="side-row"
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys(pageKeys.palette)}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={openPalette}
      >
        <span>
          <Icon name="search" size={14} />
        </span>
        <span className="truncate">{t("search")}</span>
        <Key keys={pageKeys.palette} />
      </button>
    </div>
  );
}
