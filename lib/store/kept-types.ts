import type { AssistantFields } from "@/lib/protocol/assistants";
import type { ProjectCounts, ProjectFields } from "@/lib/protocol/projects";
import type { PromptFields } from "@/lib/protocol/prompts";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";

export interface ShareRow {
  id: string;
  userId: string;
  conversationId: string;
  tokenHash: string;
  title: string;
  snapshot: ShareSnapshot;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
  views: number;
  /** By which the copy is made; null: all of it. */
  policy: SharePolicy | null;
}

export interface AssistantRow extends AssistantFields {
  id: string;
  userId: string;
  createdAt: number;
}

export interface PromptRow extends PromptFields {
  id: string;
  userId: string;
  createdAt: number;
}

/** Of all assistants, all projects, or all prompts of a user together. */
export interface BodyQuota {
  count: number;
  /** Of what is stored, files apart, in UTF-8. */
  bytes: number;
}

export interface ProjectRow extends ProjectFields {
  id: string;
  userId: string;
  createdAt: number;
}

/** What a list of projects says of each. */
export interface ProjectListRow extends ProjectRow {
  counts: ProjectCounts;
}
