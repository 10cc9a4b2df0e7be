import { z } from "zod";
import { id, type Route } from "./fields";

/** Conversations that an address may name; all of them are had without naming any. */
const maxIds = 200;

export const ExportQuery = z.strictObject({
  format: z.enum(["json", "md", "html"]).default("json"),
  /** Of Markdown and HTML; JSON has everything. */
  reasoning: z.stringbool().default(false),
});

export const ExportAllQuery = z.strictObject({
  ids: z
    .string()
    .transform((text) => [...new Set(text.split(",").filter(Boolean))])
    .pipe(z.array(id).min(1, "must name conversations, separated by commas").max(maxIds))
    .optional(),
});

export const exportRoutes: Route[] = [
  [
    "get",
    "/api/conversations/{id}/export",
    "The conversation as a file; ?format=json|md|html, ?reasoning=true for the last two",
  ],
  ["get", "/api/export", "All conversations as one zip, or those of ?ids=, separated by commas"],
];
