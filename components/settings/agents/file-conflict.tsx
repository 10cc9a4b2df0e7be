"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";

export interface FileConflictProps {
  /** Undefined where nobody has changed the file; null: it was deleted. */
  changed: { version: string | null } | undefined;
  onLoad(): Promise<void>;
  onSave(version: string | null): Promise<void>;
}

/** Somebody else has changed the file: nothing is lost before a person decides. */
export function FileConflict({ changed, onLoad, onSave }: FileConflictProps) {
  const t = useTranslations("settings.agents");
  if (!changed) return null;
  const { version } = changed;
  return (
    <div role="alert" className="grid gap-2 text-mach">
      <p className="text-shu">{t(version === null ? "gone" : "changed")}</p>
      <span className="flex flex-wrap gap-2">
        {version !== null && <Button onClick={onLoad}>{t("reload")}</Button>}
        <Button onClick={() => onSave(version)}>{t("saveOver")}</Button>
      </span>
    </div>
  );
}
