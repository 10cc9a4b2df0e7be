import type { AssistantFields } from "@/lib/protocol/assistants";
import type { ProjectCounts, ProjectFields } from "@/lib/protocol/projects";
import type { PromptFields } from "@/lib/protocol/prompts";
import type { SharePolicy, ShareSnapshot } from "@/lib/protocol/shares";
import type { TapeMisses } from "@/lib/protocol/tape";
import type { Budget } from "@/lib/protocol/usage";

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

/**
 * `open`: cells may begin. `stopping`: none begins any more, and those that run are being ended. `stopped`: that is done.
 * `ended`: each cell has ended by itself.
 */
export type MatrixState = "open" | "stopping" | "stopped" | "ended";

export interface MatrixRow {
  id: string;
  userId: string;
  tape: TapeMisses;
  budget: Pick<Budget, "tokens" | "cost">;
  /** Models without a price go on under a budget of money. */
  goesUnpriced: boolean;
  state: MatrixState;
  createdAt: number;
  /** By their position. */
  cells: MatrixCellRow[];
}

export interface MatrixSummary {
  id: string;
  createdAt: number;
  /** How many of each. */
  models: number;
  recordings: number;
}

export interface MatrixCellRow {
  /** The recorded run. */
  runId: string;
  model: string;
  /** The first run of its answer, once it has begun. */
  result: string | null;
  /** Why it could not begin. */
  error: { code: string; message: string } | null;
}
