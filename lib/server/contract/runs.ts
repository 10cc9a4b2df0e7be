import { z } from "zod";
import type { RunKind, RunStatus } from "@/lib/protocol/http";
import { id, PageQuery, type Route } from "./fields";

/** All words of a union: without one that is added there, this does not compile. */
const oneOf = <Word extends string>(words: Record<Word, true>) => z.enum(Object.keys(words) as Word[]);

export const RunListQuery = PageQuery.extend({
  status: oneOf<RunStatus>({
    running: true,
    completed: true,
    stopped: true,
    waiting: true,
    failed: true,
    interrupted: true,
  }).optional(),
  kind: oneOf<RunKind>({ chat: true, workflow: true, schedule: true, gateway: true, v1: true }).optional(),
  conversation: id.optional(),
  schedule: id.optional(),
  token: id.optional(),
});

export const runRoutes: Route[] = [
  [
    "get",
    "/api/runs",
    "Runs, newest first; ?status=, ?kind=chat|workflow|schedule|gateway|v1, ?conversation=, ?schedule=, ?token=, ?limit=, ?cursor=",
  ],
  ["get", "/api/runs/{id}/export", "The run as a file: a header, then its log, as JSON lines"],
  ["post", "/api/runs/import", "Stores the run of such a file, to be looked at; the raw body"],
];
