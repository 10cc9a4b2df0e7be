import { z } from "zod";
import type { ChoicePatch } from "@/lib/protocol/choice";
import { maxContextChoices, maxContextId } from "@/lib/protocol/context-choice";
import {
  EmptyBody,
  flag,
  id,
  instructions,
  knobs,
  maxText,
  modelId,
  name,
  PageQuery,
  type Route,
} from "./fields";

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
  archived: z.boolean().optional(),
  leafId: id.optional(),
  projectId: id.nullable().optional(),
  choice: choice.optional(),
});

/** As long as a message of a person may be. */
export const AnswerEditBody = z.strictObject({
  edits: id,
  text: z.string().trim().min(1, "must not be empty").max(maxText),
});

/** Of the list. */
export const ConversationQuery = PageQuery.extend({
  project: id.optional(),
  pinned: flag.optional(),
  title: z.string().max(200).optional(),
  archived: z
    .enum(["true", "false", "all"], "must be true, false or all")
    .default("false")
    .transform((archived) => (archived === "all" ? undefined : archived === "true")),
});

const maxBatch = 500;

export const BatchBody = z
  .strictObject({
    ids: z
      .array(id)
      .min(1, "must name a conversation")
      .max(maxBatch, `may name at most ${maxBatch} conversations`),
    action: z.enum(["archive", "unarchive", "delete", "restore", "move"]),
    projectId: id.nullable().optional(),
  })
  .refine(({ action, projectId }) => (action === "move") === (projectId !== undefined), {
    path: ["projectId"],
    error: "goes with the action move, and with no other; null moves out of every project",
  });

/** Of an import. */
export const ImportQuery = z.strictObject({
  preview: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true"),
});

export const BranchQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: id.optional(),
  branch: id.optional(),
});

/** Of what the next message takes of the context: for another model than the conversation's. */
export const LedgerQuery = z.strictObject({ model: modelId.optional() });

const shown = z.enum(["full", "summary", "hidden"]);
const maxTools = 200;

/** Of calls, thoughts and files. A tool that is gone may be named: a link outlives it. */
const sharePolicy = z.strictObject({
  default: shown,
  tools: z
    .record(z.string().min(1).max(300), shown)
    .refine((tools) => Object.keys(tools).length <= maxTools, `may name at most ${maxTools} tools`)
    .default({}),
  reasoning: z.boolean().default(false),
  attachments: z.boolean().default(false),
});

const LedgerState = z.union(
  [z.enum(["kept", "dropped", "pinned"]), z.strictObject({ trimmed: z.int().min(1).max(10_000_000) })],
  'must be "kept", "dropped", "pinned" or {"trimmed": tokens}',
);

export const LedgerPatch = z.strictObject({
  items: z.record(z.string().max(maxContextId), LedgerState).refine((items) => {
    const { length } = Object.keys(items);
    return length > 0 && length <= maxContextChoices;
  }, `must name 1 to ${maxContextChoices} parts`),
});

const maxDecisions = 1_000;

/** On what looks private: on all of it, or on some by the ids of the findings. */
const decision = z.union(
  [z.boolean(), z.array(z.string().max(100)).max(maxDecisions)],
  `must be true or a list of at most ${maxDecisions} ids of findings`,
);

export const ShareBody = z.strictObject({
  leafId: id.optional(),
  policy: sharePolicy.optional(),
  replay: z.boolean().optional(),
  author: z.boolean().optional(),
  expiresAt: z.iso.datetime().nullable().optional(),
  redact: decision.optional(),
  accept: decision.optional(),
  dryRun: z.boolean().optional(),
});

/** A copy as a file. */
export const ShareFileBody = ShareBody.pick({
  leafId: true,
  policy: true,
  author: true,
  redact: true,
  accept: true,
});

/** Of a copy behind a link. */
export const SharedQuery = z.object({ format: z.enum(["json", "html"]).default("json") });

export const SharePatch = z.strictObject({
  refresh: z.boolean().optional(),
  redact: decision.optional(),
  accept: decision.optional(),
  policy: sharePolicy.optional(),
  replay: z.boolean().optional(),
  author: z.boolean().optional(),
  expiresAt: z.iso.datetime().nullable().optional(),
});

export const conversationRoutes: Route[] = [
  [
    "get",
    "/api/conversations",
    "The conversations, newest first; ?project=, ?pinned= and ?archived= for some of them",
  ],
  ["post", "/api/conversations", "An empty conversation", ConversationBody],
  [
    "post",
    "/api/conversations/import",
    "Conversations out of an export, as a raw JSON or zip; ?preview=true stores nothing",
  ],
  ["post", "/api/conversations/batch", "Archives, moves, deletes or restores many", BatchBody],
  ["get", "/api/conversations/{id}", "The newest messages of the current branch and their runs"],
  [
    "patch",
    "/api/conversations/{id}",
    "Title, pin, archive, current branch, project, choice",
    ConversationPatch,
  ],
  [
    "delete",
    "/api/conversations/{id}",
    "Deletes it with its runs and links; the batch can restore it for 24 h",
  ],
  [
    "get",
    "/api/conversations/{id}/ledger",
    "What fills the context of the next message, and what the conversation has cost",
  ],
  [
    "patch",
    "/api/conversations/{id}/ledger",
    "What is left out of the context, shortened or pinned from the next run on",
    LedgerPatch,
  ],
  [
    "post",
    "/api/conversations/{id}/messages",
    "Another text for the end of an answer, as a version of it",
    AnswerEditBody,
  ],
  ["post", "/api/conversations/{id}/shares", "A link to a frozen snapshot", ShareBody],
  ["get", "/api/shares", "The links"],
  ["patch", "/api/shares/{id}", "Brings a link up to date or changes its end", SharePatch],
  ["delete", "/api/shares/{id}", "Revokes a link"],
  [
    "post",
    "/api/conversations/{id}/shares/file",
    "The copy that a link would show, as one HTML file; no link is made",
    ShareFileBody,
  ],
  ["get", "/api/share/{token}", "The snapshot behind a link; ?format=json|html, as a file for the latter"],
  ["post", "/api/share/{token}/fork", "Copies a shared conversation into one's own", EmptyBody],
  ["get", "/api/share/{token}/attachments/{id}", "A file that stands in the snapshot behind a link"],
];
