"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { Button, buttonClass, iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { Menu } from "@/components/ui/layers/menu";
import { NearLink } from "@/components/ui/near-link";
import { notifyFailure } from "@/components/ui/toast";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { useGap } from "@/components/ui/words/use-gap";
import { projectActions, refreshProject, useProject, useProjects } from "@/lib/client/conversation/projects";
import { type ProjectItem, projectLimits } from "@/lib/protocol/projects";
import type { DeleteProjectDialogProps } from "./delete-project-dialog";

const deleteDialog = latePart<DeleteProjectDialogProps>(() => import("./delete-project-dialog"));

/** Over the message field of a project's page: its name, and what can be done with it. */
export default function ProjectHead({ id }: { id: string }) {
  const t = useTranslations("projects.page");
  const common = useTranslations("common");
  const errorText = useErrorText();
  const gap = useGap();
  const { data, error } = useProject(id);
  const listed = useProjects().data?.items.find((item) => item.id === id);
  const project = listed ?? data;
  const isGone = error?.status === 404;
  return (
    <div className={headLook}>
      {isGone ? (
        <>
          <title>{`${t("missing")} · Meguri`}</title>
          <h1 className="font-voice text-hero">{t("missing")}</h1>
          <p className="mt-1 mb-5 text-pretty text-ink-2">{t("missingHint")}</p>
          <NearLink href="/" className={buttonClass("ink")}>
            {t("home")}
          </NearLink>
        </>
      ) : project ? (
        <Named project={project} />
      ) : (
        <>
          <title>Meguri</title>
          <h1 className="font-voice text-hero">
            {error ? t("loadFailed") : <span className="opacity-0">{common("loading")}</span>}
          </h1>
        </>
      )}
      {error && !isGone && (
        <div role="alert" className="mb-4 text-mach text-ink-2">
          <p className="mb-2">
            {project && (
              <>
                <b className="font-semibold text-shu">{t("loadFailed")}</b>
                {gap}
              </>
            )}
            {errorText(error)}
          </p>
          <Button onClick={() => refreshProject(id)}>{common("tryAgain")}</Button>
        </div>
      )}
    </div>
  );
}

const headLook = "column max-w-[728px] pt-2 wide:col-[2/4] wide:max-w-none";

function Named({ project }: { project: ProjectItem }) {
  const t = useTranslations("projects.page");
  const router = useRouter();
  const [renaming, setRenaming] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const Dialog = useLatePart(deleteDialog, deleting);
  return (
    <>
      <title>{`${project.name} · Meguri`}</title>
      <div className="flex items-start gap-2">
        <h1 className={cn("min-w-0 flex-1 font-voice text-hero wrap-anywhere", !renaming && "line-clamp-3")}>
          {renaming ? <NameField project={project} onDone={() => setRenaming(false)} /> : project.name}
        </h1>
        <Menu
          align="end"
          trigger={{
            className: iconButtonClass,
            "aria-label": t("more"),
            children: <Icon name="more" />,
          }}
          entries={[
            // After the menu has given the focus back, or it would take it from the field.
            { label: t("rename"), icon: "pencil", onSelect: () => setTimeout(() => setRenaming(true)) },
            { kind: "rule" },
            { label: t("delete"), icon: "trash", onSelect: () => setDeleting(true) },
          ]}
        />
      </div>
      <p className="text-pretty meta">{t("about", { count: project.conversations.all })}</p>
      {Dialog && (
        <Dialog project={project} onClose={() => setDeleting(false)} onDeleted={() => router.push("/")} />
      )}
    </>
  );
}

function NameField({ project, onDone }: { project: ProjectItem; onDone(): void }) {
  const t = useTranslations("projects.page");
  const errorText = useErrorText();
  const save = (name: string) => {
    onDone();
    if (name !== "" && name !== project.name)
      projectActions.change(project.id, { name }).catch((cause) => notifyFailure(errorText(cause)));
  };
  return (
    <input
      className="-ml-2 h-11 w-full rounded-control border border-rule-2 bg-raised px-2"
      aria-label={t("rename")}
      defaultValue={project.name}
      maxLength={projectLimits.name}
      ref={(field) => field?.select()}
      onBlur={(event) => save(event.target.value.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") save(event.currentTarget.value.trim());
        if (event.key === "Escape") {
          event.preventDefault();
          onDone();
        }
      }}
    />
  );
}
