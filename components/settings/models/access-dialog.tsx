import { type FormEvent, type ReactNode, useId } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Dialog, type DialogProps } from "@/components/ui/layers/dialog";

export interface AccessDialogProps extends Pick<DialogProps, "title" | "lede" | "onClose"> {
  /** It is being tested or saved. */
  isBusy: boolean;
  /** What came of it and belongs to no field. */
  result: { ok: boolean; text: string } | null;
  onTest(): void;
  onSave(): void;
  children: ReactNode;
}

/** How a server of models is reached: its fields, which can be tested before they are saved. */
export function AccessDialog({
  isBusy,
  result,
  onTest,
  onSave,
  onClose,
  children,
  ...title
}: AccessDialogProps) {
  const t = useTranslations("settings.models.access");
  const common = useTranslations("common");
  const form = useId();
  return (
    <Dialog
      {...title}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button className="mr-auto" disabled={isBusy} onClick={onTest}>
            {t("test")}
          </Button>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" type="submit" form={form} disabled={isBusy}>
            {t("save")}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="grid gap-4"
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          onSave();
        }}
      >
        {children}
        <p role="status" className={result?.ok === false ? "text-mach text-shu" : "text-mach text-ink-2"}>
          {isBusy ? t("testing") : result?.text}
        </p>
      </form>
    </Dialog>
  );
}
