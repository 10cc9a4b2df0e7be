"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { useSize } from "@/components/ui/words/use-size";
import type { RetentionForecast } from "@/lib/protocol/data";

export interface RetentionDialogProps {
  forecast: RetentionForecast;
  onClose(): void;
  onAccept(): void;
}

export default function RetentionDialog({ forecast, onClose, onAccept }: RetentionDialogProps) {
  const t = useTranslations("settings.data");
  const common = useTranslations("common");
  const size = useSize();
  const { conversations: count, bytes, isCut } = forecast;
  return (
    <Dialog
      title={t("deleteTitle", { count, isCut: String(isCut) })}
      closeLabel={common("close")}
      width={440}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" onClick={onAccept}>
            {t("deleteNow")}
          </Button>
        </>
      }
    >
      <p className="text-mach text-ink-2">{t("deleteText", { size: size(bytes) })}</p>
    </Dialog>
  );
}
