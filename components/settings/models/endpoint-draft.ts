import type { EndpointAccess } from "@/lib/client/settings/settings";
import type { EndpointApi, EndpointChange, EndpointItem } from "@/lib/protocol/settings";

/** What the fields of the form hold. Secrets in force are not in it; an empty field keeps them. */
export interface EndpointDraft {
  name: string;
  id: string;
  baseURL: string;
  api: EndpointApi;
  apiKey: string;
  dropsKey: boolean;
  /** A header a line. */
  headers: string;
  dropsHeaders: boolean;
  /** A name a line. */
  models: string;
}

export type EndpointField = "name" | "id" | "baseURL" | "apiKey" | "headers" | "models";

export const draftOf = (endpoint: EndpointItem | undefined): EndpointDraft => ({
  name: endpoint?.name ?? "",
  id: endpoint?.id ?? "",
  baseURL: endpoint?.baseURL ?? "",
  api: endpoint?.api ?? "auto",
  ...{ apiKey: "", dropsKey: false, headers: "", dropsHeaders: false },
  models: endpoint?.models?.join("\n") ?? "",
});

/** An id that the name suggests, which no other has. */
export function suggestId(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "");
  const id = plain.slice(0, 28).replace(/-+$/, "") || "endpoint";
  for (let count = 1; ; count++) {
    const next = count === 1 ? id : `${id}-${count}`;
    if (!taken.includes(next)) return next;
  }
}

/** The headers by name, or the line (from 1) that is none. */
export function readHeaders(text: string): { headers: Record<string, string> } | { line: number } {
  const headers: [string, string][] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const [, name, value] = /^\s*([^\s:]+)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    if (!name || !value) return { line: at + 1 };
    headers.push([name, value]);
  }
  return { headers: Object.fromEntries(headers) };
}

const linesOf = (text: string) => text.split("\n").flatMap((line) => line.trim() || []);

/** What a test asks with; what is absent stays as it is in force. */
export function accessIn(draft: EndpointDraft): EndpointAccess | { line: number } {
  const { apiKey, dropsKey, baseURL, dropsHeaders, models } = draft;
  const read = readHeaders(draft.headers);
  if ("line" in read) return read;
  const hasHeaders = dropsHeaders || Object.keys(read.headers).length > 0;
  const names = linesOf(models);
  return {
    baseURL,
    ...(apiKey ? { apiKey } : dropsKey && { apiKey: null }),
    ...(hasHeaders && { headers: read.headers }),
    ...(names.length > 0 && { models: names }),
  };
}

/** The same as the list of endpoints has it. */
export const changeIn = (
  { id, name, baseURL, api }: EndpointDraft,
  access: EndpointAccess,
): EndpointChange => ({ ...access, id, name, baseURL, api });

const fields: readonly string[] = ["name", "id", "baseURL", "apiKey", "headers", "models"];

/** The field that a refusal of the server is about, and the rest of its sentence without the full stop, as it is translated. */
export function fieldOf(message: string): { field: EndpointField; text: string } | undefined {
  const [, field = "", text = ""] = /^(?:endpoints\.\d+\.)?(\w+)[^:]*: (.*?)\.?$/s.exec(message) ?? [];
  return fields.includes(field) ? { field: field as EndpointField, text } : undefined;
}
