"use client";

import { type ReactNode, useRef, useState } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import { NearLink } from "@/components/ui/near-link";
import type { RunItem } from "@/lib/protocol/http";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { MatrixForm } from "./matrix/matrix-form";
import { RerunForm } from "./rerun-form";

const forms = { rerun: RerunForm, matrix: MatrixForm };
type FormName = keyof typeof forms;

/** The ways to ask the question of an ended answer again, with the form of one of them below. */
export function RunAgain({ run }: { run: RunItem }) {
  const t = useTranslations("run");
  const [open, setOpen] = useState<FormName | null>(null);
  const openers = useRef<Partial<Record<FormName, HTMLButtonElement | null>>>({});
  const hasEnded = run.agent === null && run.status !== "running" && run.status !== "waiting";
  // Of a read-only copy the server refuses both.
  const canRun = hasEnded && !run.readOnly;
  const close = () => {
    setOpen(null);
    if (open) openers.current[open]?.focus();
  };
  const names: FormName[] = canRun
    ? ["rerun", ...(isTemporaryId(run.conversationId) ? [] : (["matrix"] as const))]
    : [];
  const Form = open && names.includes(open) ? forms[open] : undefined;
  return (
    <>
      <div className="flex flex-wrap gap-x-4 pt-2 empty:hidden">
        {names.map((name) => (
          <TextButton
            key={name}
            ref={(button) => {
              openers.current[name] = button;
            }}
            aria-expanded={open === name}
            onClick={() => (open === name ? close() : setOpen(name))}
          >
            {t(`${name}.open`)}
          </TextButton>
        ))}
        {run.matrix !== undefined && <MatrixLink id={run.matrix}>{t("matrix.part")}</MatrixLink>}
      </div>
      {run.matrices && <RecordedIn matrices={run.matrices} />}
      {Form && <Form run={run} onClose={close} />}
    </>
  );
}

/** The matrices that this answer is a recording of, with what tells one from another. */
function RecordedIn({ matrices }: { matrices: NonNullable<RunItem["matrices"]> }) {
  const t = useTranslations("run.matrix");
  const format = useFormatter();
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 pt-1 text-mach leading-6 text-ink-2 phone:leading-11">
      <span>{t("recordedIn")}</span>
      {matrices.map(({ id, createdAt, models, recordings }) => (
        <MatrixLink key={id} id={id}>
          {t("recordedAs", {
            title: t("title", { models, tapes: recordings }),
            at: format.dateTime(new Date(createdAt), { dateStyle: "medium", timeStyle: "short" }),
          })}
        </MatrixLink>
      ))}
    </p>
  );
}

function MatrixLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <NearLink
      href={`/runs/matrix/${encodeURIComponent(id)}`}
      className="text-micro leading-5 phone:leading-11"
    >
      {children}
    </NearLink>
  );
}
