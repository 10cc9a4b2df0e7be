/** A folder of conversations, and what all of them know. */
export interface ProjectFields {
  name: string;
  /** What the model is told in each of its conversations. */
  instructions: string;
  /** Id of the assistant of its conversations where nothing else is said; it may have been deleted since. */
  assistant?: string;
  /** Ids of attachments, in the order in which they were added. */
  files: string[];
  /** What its conversations use where nothing else is said. Those that are not configured any more stay named. */
  servers?: string[];
}

/** How many conversations it has, and in how many of them the newest run is like this. */
export interface ProjectCounts {
  all: number;
  /** Of all of them; they are not listed with the others. */
  archived: number;
  waiting: number;
  failed: number;
}

/** One of `GET /api/projects`. */
export interface ProjectItem extends ProjectFields {
  id: string;
  conversations: ProjectCounts;
}

/** What is known of one of its files, as `GET /api/projects/:id` says beside the ids. */
export interface ProjectFile {
  id: string;
  /** The one that the model names it by: no two of a project are the same. */
  name: string;
  mimeType: string;
  /** Bytes. */
  size: number;
  /** Whether the model can read text in it. */
  readable: boolean;
}

/** `GET /api/projects/:id`. */
export interface ProjectDetail extends ProjectItem {
  attachments: ProjectFile[];
}

export const projectLimits = {
  name: 100,
  files: 50,
} as const;
