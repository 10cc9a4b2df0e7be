"use client";

import { useTranslations } from "use-intl";
import { Skeleton } from "@/components/ui/skeleton";
import { useProject } from "@/lib/client/conversation/projects";
import { ProjectConversations } from "./project-conversations";
import { ProjectFiles } from "./project-files";
import { ProjectInstructions } from "./project-instructions";
import { StartsWith } from "./starts-with";

/** Under the message field of a project's page, and beside it where there is room. */
export default function ProjectParts({ id }: { id: string }) {
  const common = useTranslations("common");
  const { data, error } = useProject(id);
  // What was known of one that another tab has deleted can no longer be changed.
  if (error && (!data || error.status === 404)) return null;
  if (!data)
    return (
      <div className={mainLook}>
        <Skeleton lines={4} height={40} label={common("loading")} />
      </div>
    );
  return (
    <>
      <div className={mainLook}>
        <ProjectConversations project={data} />
      </div>
      <div className="column grid max-w-[728px] grid-cols-[minmax(0,1fr)] content-start gap-8 pb-12 wide:col-[3/4] wide:row-[3/6] wide:max-w-none wide:pt-4 wide:pl-4">
        <ProjectInstructions project={data} />
        <ProjectFiles project={data} />
        <StartsWith project={data} />
      </div>
    </>
  );
}

const mainLook = "column max-w-[728px] pt-8 pb-10 wide:col-[2/3] wide:max-w-none";
