"use client";

import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { CopyButton } from "@/components/ui/controls/copy-button";
import { Field } from "@/components/ui/controls/field";
import { Dialog } from "@/components/ui/layers/dialog";

/** A secret that has been made, such as a link: it is shown this once. */
export function ShownOnce({
  title,
  note,
  label,
  copyLabel,
  value,
  onClose,
}: {
  title: string;
  note: ReactNode;
  label: string;
  copyLabel: string;
  value: string;
  onClose(): void;
}) {
  const common = useTranslations("common");
  return (
    <Dialog
      title={title}
      lede={note}
      width={520}
      closeLabel={common("close")}
      onClose={onClose}
      closesBeside={false}
      actions={
        <Button tone="ink" onClick={onClose}>
          {common("done")}
        </Button>
      }
    >
      <div className="flex items-end gap-2">
        <Field
          className="min-w-0 flex-1"
          label={label}
          mono
          readOnly
          value={value}
          onFocus={(event) => event.target.select()}
        />
        <CopyButton label={copyLabel} text={() => value} />
      </div>
    </Dialog>
  );
}
