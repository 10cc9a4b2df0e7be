"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { Dialog } from "@/components/ui/layers/dialog";
import { notify } from "@/components/ui/toast";
import { useAct } from "./use-act";

export interface RemovalDialogProps {
  title: string;
  /** What goes with it, and what stays. */
  text: string;
  /** What the button says. */
  action: string;
  /** What is said once it is done. */
  done: string;
  remove(): Promise<unknown>;
  onClose(): void;
  onRemoved?(): void;
}

/** Asks before something that is stored is removed; a failure is told, and the dialog stays. */
export default function RemovalDialog(props: RemovalDialogProps) {
  const common = useTranslations("common");
  const act = useAct();
  const remove = async () => {
    if (!(await act(props.remove))) return;
    props.onClose();
    props.onRemoved?.();
    notify(props.done);
  };
  return (
    <Dialog
      title={props.title}
      closeLabel={common("close")}
      width={440}
      onClose={props.onClose}
      actions={
        <>
          <Button onClick={props.onClose}>{common("cancel")}</Button>
          <Button tone="ink" onClick={remove}>
            {props.action}
          </Button>
        </>
      }
    >
      <p className="text-mach text-ink-2 wrap-anywhere">{props.text}</p>
    </Dialog>
  );
}
