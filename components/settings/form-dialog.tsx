"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";

interface FormDialogProps {
  title: string;
  lede: string;
  /** Of the button that makes what is entered. */
  makeLabel: string;
  onMake(): Promise<void>;
  onClose(): void;
  children: ReactNode;
}

/** A dialog with a form that makes one thing: by its button, or by Enter in a field. */
export function FormDialog({ title, lede, makeLabel, onMake, onClose, children }: FormDialogProps) {
  const common = useTranslations("common");
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    if (isBusy) return;
    setBusy(true);
    await onMake().finally(() => setBusy(false));
  };
  return (
    <Dialog
      title={title}
      lede={lede}
      width={520}
      closeLabel={common("close")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{common("cancel")}</Button>
          <Button tone="ink" aria-busy={isBusy} aria-disabled={isBusy} onClick={() => void make()}>
            {makeLabel}
          </Button>
        </>
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}
