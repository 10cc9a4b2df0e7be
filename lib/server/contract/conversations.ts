import { z } from "zod";
import type { ChoicePatch } from "@/lib/protocol/http";
import { EmptyBody, id, instructions, knobs, modelId, name, notYet, PageQuery, type Route } from "./fields";

const maxServers = 200;
export const servers = z.array(name).max(maxServers);
export const deferred = z
  .record(name, z.boolean())
  .refine((choice) => Object.keys(choice).length <= maxServers, `may name at most ${maxServers} servers`);

const choice = z
  .strictObject({
    model: modelId.nullable().optional(),
    assistant: id.nullable().optional(),
    instructions: instructions.nullable().optional(),
    effort: knobs.effort.nullable().optional(),
    servers: servers.nullable().optional(),
    deferred: deferred.nullable().optional(),
    allowReads: z
      .null("can only be taken back here, with null; the answer approve_reads to a question sets it")
      .optional(),
  })
  .transform(
    ({ model, assistant, instructions, effort, servers, deferred, allowReads }): ChoicePatch => ({
      ...(model !== undefined && { model }),
      ...(assistant !== undefined && { assistant }),
      ...(instructions !== undefined && { instructions }),
      ...(effort !== undefined && { effort }),
      ...(servers !== undefined && { servers }),
      ...(deferred !== undefined && { deferred }),
      ...(allowReads !== undefined && { allowReads }),
    }),
  );

export const ConversationBody = z.strictObject({
  title: z.string().trim().min(1).max(200).optional(),
  projectId: id.optional(),
  choice: choice.optional(),
});

export const ConversationPatch = z.strictObject({
  title: z.string().trim().min(1, "must not be empty").max(200).optional(),
  pinned: z.boolean().optional(),
  leafId: id.optional(),
  projectId: id.nullable().optional(),
  choice: choice.optional(),
});

/** Of the list. */
export const ConversationQuery = PageQuery.extend({ project: id.optional() });

export const BranchQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: id.optional(),
});

export const ShareBody = z.strictObject({
  leafId: id.optional(),
  policy: notYet("policy"),
  replay: notYet("replay"),
  expiresAt: z.iso.datetime().nullable().optional(),
  redact: z.boolean().optional(),
  accept: z.boolean().optional(),
  dryRun: z.boolean().optional(),
});

export const SharePatch = z.strictObject({
  refresh: z.boolean().optional(),
  redact: z.boolean().optional(),
  accept: z.boolean().optional(),
  expiresAt: z.iso.datetime().nullable().optional(),
});

export const conversationRoutes: Route[] = [
  ["get", "/api/conversations", "The conversations, newest first; ?project= for those of one project"],
  ["post", "/api/conversations", "An empty conversation", ConversationBody],
  ["get", "/api/conversations/{id}", "The newest messages of the current branch and their runs"],
  ["patch", "/api/conversations/{id}", "Title, pin, current branch, project, choice", ConversationPatch],
  ["delete", "/api/conversations/{id}", "Deletes it with its runs and links"],
  ["post", "/api/conversations/{id}/shares", "A link to a frozen snapshot", ShareBody],
  ["get", "/api/shares", "The links"],
  ["patch", "/api/shares/{id}", "Brings a link up to date or changes its end", SharePatch],
  ["delete", "/api/shares/{id}", "Revokes a link"],
  ["get", "/api/share/{token}", "The snapshot behind a link"],
  ["post", "/api/share/{token}/fork", "Copies a shared conversation into one's own", EmptyBody],
  ["get", "/api/share/{token}/attachments/{id}", "A file that stands in the snapshot behind a link"],
];
