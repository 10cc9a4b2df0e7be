import { z } from "zod";
import { auditDays, auditGroups } from "@/lib/protocol/audit";
import { id, PageQuery, type Route } from "./fields";

/** Which of it. */
const filter = {
  person: id.optional(),
  group: z.enum(auditGroups).optional(),
  days: z.coerce.number().int().min(1).max(auditDays).optional(),
  q: z.string().trim().min(1).max(100).optional(),
};

export const AuditQuery = z.strictObject({ ...PageQuery.shape, ...filter });
export const AuditFileQuery = z.strictObject(filter);

export const auditRoutes: Route[] = [
  ["get", "/api/audit", "Who did what, when and from where; ?person=, ?group=, ?days=, ?q="],
  ["get", "/api/audit/file", "The same as CSV"],
];
