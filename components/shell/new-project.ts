import type { NewProjectDialogProps } from "@/components/projects/new-project-dialog";
import { latePart } from "@/components/ui/late-part";

/** Few make one. */
export const newProjectDialog = latePart<NewProjectDialogProps>(
  () => import("@/components/projects/new-project-dialog"),
);
