"use client";

import { useTranslations } from "use-intl";
import type { SteeringView } from "@/lib/client/run/run-view";
import { Said } from "./question";

/** What a person said while the answer was written, at the place where the model has read it; the thread goes through it. */
export function SteeringMessage({ said }: { said: SteeringView }) {
  const t = useTranslations("chat.question");
  return (
    <div
      data-message={said.id}
      className="relative flex animate-[appear_var(--calm)_var(--ease)] items-baseline gap-4 pt-1 pb-3 before:absolute before:top-[30px] before:-bottom-0.5 before:left-[calc(10px-var(--gutter)-0.5px)] before:w-px before:bg-thread phone:block"
    >
      <h3 className="sr-only">{t("said")}</h3>
      <div className="min-w-0 flex-1">
        <Said text={said.text} files={said.files} acts={0} />
      </div>
      <small className="text-micro whitespace-nowrap text-ink-3 phone:block phone:pt-1">
        {said.after === 0 ? t("saidBefore") : t("saidDuring", { number: said.after })}
      </small>
    </div>
  );
}
