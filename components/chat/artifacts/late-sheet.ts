import { latePart } from "@/components/ui/late-part";
import type { ArtifactSheetProps } from "./artifact-sheet";

/** Fetched with the first artifact that somebody is about to open. */
export const artifactSheet = latePart<ArtifactSheetProps>(() => import("./artifact-sheet"));
