"use client";

import type { ReactNode } from "react";
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
          <Button tone="ink" onClick={() => void onMake()}>
            {makeLabel}
          </Button>
        </>
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void onMake();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}
