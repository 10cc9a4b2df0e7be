"use client";

import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { LoadFailed } from "@/components/ui/load-failed";
import { refreshProjects, useProjects } from "@/lib/client/conversation/projects";
import { newProjectDialog } from "./new-project";
import type { ProjectFolderProps } from "./project-folder";
import { closeDrawer } from "./side";

const projectFolder = latePart<ProjectFolderProps>(() => import("./project-folder"));

/** The projects over the other conversations, each folded until somebody opens it. */
export function ProjectList({ current }: { current: { conversation?: string; project?: string } }) {
  const t = useTranslations("projects");
  const router = useRouter();
  const { data, error } = useProjects();
  const [making, setMaking] = useState(false);
  const Folder = useLatePart(projectFolder, (data?.items.length ?? 0) > 0);
  const Dialog = useLatePart(newProjectDialog, making);
  return (
    <section aria-labelledby="side-projects">
      <div className="flex items-center pt-1">
        <h2 id="side-projects" className="min-w-0 flex-1 px-2 text-micro font-normal text-ink-3">
          {t("projects")}
        </h2>
        <IconButton
          icon="plus"
          iconSize={14}
          label={t("newProject")}
          tipSide="right-edge"
          onClick={() => setMaking(true)}
        />
      </div>
      {!data && error && (
        <LoadFailed className="px-2 py-1" text={t("listFailed")} onRetry={refreshProjects} />
      )}
      {Folder &&
        data?.items.map((project) => <Folder key={project.id} project={project} current={current} />)}
      {Dialog && (
        <Dialog
          onClose={() => setMaking(false)}
          onMade={({ id }) => {
            setMaking(false);
            closeDrawer();
            router.push(`/p/${id}`);
          }}
        />
      )}
    </section>
  );
}
