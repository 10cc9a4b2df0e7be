"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";

/** An address that is shown this once. */
export function LinkDialog({
  title,
  note,
  url,
  onClose,
}: {
  title: string;
  note: string;
  url: string;
  onClose(): void;
}) {
  const t = useTranslations("settings.people");
  const common = useTranslations("common");
  return (
    <Dialog
      title={title}
      lede={note}
      width={520}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <Button tone="ink" onClick={onClose}>
          {t("linkDone")}
        </Button>
      }
    >
      <div className="flex items-end gap-2">
        <Field
          className="min-w-0 flex-1"
          label={t("link")}
          mono
          readOnly
          value={url}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton label={t("copyLink")} text={() => url} />
      </div>
    </Dialog>
  );
}
