import { createHash } from "node:crypto";
import { z } from "zod";
import { canonicalJson } from "@/lib/protocol/canonical-json";
import { countParts } from "@/lib/protocol/count-parts";
import type { McpToolAnnotations } from "@/lib/protocol/mcp";

const maxDefinition = 256 * 1024;
const maxDepth = 64;

const record = z.record(z.string(), z.unknown());
const text = z.string().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const toolSchema = z.looseObject({
  name: z.string().min(1).max(1_024),
  title: text,
  description: text,
  inputSchema: record.refine(
    ({ type }) => type === undefined || type === "object",
    'its "type" is not "object"',
  ),
  outputSchema: record.optional(),
  annotations: z
    .object({
      title: text,
      readOnlyHint: flag,
      destructiveHint: flag,
      idempotentHint: flag,
      openWorldHint: flag,
    })
    .optional()
    .catch(undefined),
  execution: z.object({ taskSupport: text }).optional().catch(undefined),
  _meta: z
    .object({
      ui: z
        .object({ resourceUri: text, visibility: z.array(z.string()).optional() })
        .optional()
        .catch(undefined),
      "ui/resourceUri": text,
    })
    .optional()
    .catch(undefined),
});

/** A tool as its server describes it. */
export interface ServerTool {
  name: string;
  title: string | null;
  description: string;
  inputSchema: Record<string, unknown>;
  outputSchema: Record<string, unknown> | undefined;
  annotations: McpToolAnnotations;
  /** It can be called as a task only (2025-11-25, `execution.taskSupport`). */
  needsTask: boolean;
  /** `_meta.ui` (MCP Apps); undefined for a tool without it. */
  ui: ToolUi | undefined;
  /** What is pinned: everything that a model or a person decides by. */
  definition: Record<string, unknown>;
  /** Of the definition; computed when it is first needed. */
  hash?: string;
}

/** `_meta.ui` of a tool. */
export interface ToolUi {
  /** `ui://` address of the app that shows its results. */
  resourceUri?: string;
  /** Who may call it; both unless the server says otherwise. */
  visibility: ("model" | "app")[];
}

/** Whether the tool may be called by the model, or by an app of its server. */
export const isFor = (who: "model" | "app", { ui }: ServerTool): boolean =>
  ui?.visibility.includes(who) ?? true;

/** Reads one entry of `tools/list`; a fault says why this tool, and only this one, is left out. */
export function readTool(raw: unknown): ServerTool | { fault: string } {
  const parsed = toolSchema.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const why = [...(issue?.path.length ? [issue.path.join(".")] : []), issue?.message].join(": ");
    const called = nameOf(raw);
    return { fault: called ? `${called}: ${why}` : `A tool without a name: ${why}` };
  }
  const { name, title, description, inputSchema, outputSchema, annotations, execution, _meta } = parsed.data;
  const ui = readUi(_meta);
  const definition = { name, title, description, inputSchema, outputSchema, annotations, ui };
  if (countParts(definition, maxDepth, maxDefinition) === undefined)
    return { fault: `${nameOf(raw)}: its definition is nested deeper than ${maxDepth} levels` };
  if (JSON.stringify(definition).length > maxDefinition)
    return { fault: `${name}: its definition is longer than ${maxDefinition / 1024} KB` };
  return {
    name,
    title: title ?? annotations?.title ?? null,
    description: description ?? "",
    inputSchema: { type: "object", ...inputSchema },
    outputSchema,
    annotations: dropUndefined(annotations ?? {}),
    needsTask: execution?.taskSupport === "required",
    ui,
    definition: dropUndefined(definition),
  };
}

/** Hash of everything that a model or a person decides by. */
export function definitionHash(tool: ServerTool): string {
  tool.hash ??= createHash("sha256").update(canonicalJson(tool.definition)).digest("hex");
  return tool.hash;
}

/** Addresses other than `ui://` are ignored; older servers write the flat key. */
function readUi(meta: z.output<typeof toolSchema>["_meta"]): ToolUi | undefined {
  const uri = meta?.ui?.resourceUri ?? meta?.["ui/resourceUri"];
  const said = meta?.ui?.visibility;
  const resourceUri = uri?.startsWith("ui://") ? uri : undefined;
  if (resourceUri === undefined && said === undefined) return undefined;
  const both = ["model", "app"] as const;
  return {
    ...(resourceUri !== undefined && { resourceUri }),
    visibility: both.filter((who) => said?.includes(who) ?? true),
  };
}

const nameOf = (raw: unknown) => {
  const name = (raw as { name?: unknown } | null)?.name;
  return typeof name === "string" ? JSON.stringify(name).slice(0, 100) : undefined;
};

const dropUndefined = <T extends object>(value: T) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as {
    [Key in keyof T]: Exclude<T[Key], undefined>;
  };
