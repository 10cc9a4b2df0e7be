"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useGo } from "@/components/ui/go";
import { beginTemporary } from "./begin-temporary";

/** In the place of a temporary chat that is gone. */
export function EndedTemporary() {
  const t = useTranslations("chat.temporary");
  const go = useGo();
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div className="column pt-5" role="alert">
        <h1 className="font-voice text-title">{t("ended.title")}</h1>
        <p className="meta">{t("ended.text")}</p>
        <p className="mt-4">
          <Button onClick={() => beginTemporary(go)}>{t("ended.again")}</Button>
        </p>
      </div>
    </div>
  );
}
