/** Instructions for a kind of task, which a model reads when it needs them. */
export interface SkillItem {
  /** What models and people call it, of a server's `server/name`; no two are called the same. */
  name: string;
  /** When it is of use, in the words of whoever wrote it. */
  description: string;
  /** null for one in the folder of this machine. */
  server: string | null;
}

/** `GET /api/skills`. */
export interface SkillList {
  items: SkillItem[];
  /** Folders of this machine that hold no skill that can be used, and why. */
  broken: { folder: string; error: string }[];
}
