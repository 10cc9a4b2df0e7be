import { HttpError } from "@/lib/server/http/errors";
import { untitled } from "@/lib/server/title";
import type { BrokenJson } from "./split-json";

/** Why a file cannot be imported, or no further; what came before stays. */
const unreadable = (code: string, message: string, status = 400, details?: unknown) =>
  new HttpError(status, code, message, details);

export const unknownFormat = () =>
  unreadable(
    "unknown_format",
    "This file holds no conversations of Meguri, ChatGPT, Claude, LibreChat or Open WebUI. Choose the export as you got it: a zip, or the JSON in it.",
  );

export const protectedArchive = () =>
  unreadable(
    "protected_archive",
    "This zip is protected by a password. Unpack it and choose the JSON in it.",
  );

export const brokenArchive = () =>
  unreadable(
    "broken_archive",
    "This zip is damaged. Download the export again; what was read before stays imported.",
  );

export const archiveTooLarge = () =>
  unreadable(
    "archive_too_large",
    "What is packed in this zip is too large to be unpacked here. Unpack it and choose the JSON in it.",
    413,
  );

export function brokenJson(cause: BrokenJson): HttpError {
  if (cause.reason === "not_json") return unknownFormat();
  const known = /"(?:title|name)"\s*:\s*"((?:[^"\\]|\\.){1,200})"/.exec(cause.start)?.[1];
  const number = cause.items + 1;
  const title = known ?? untitled;
  const message =
    cause.reason === "cut"
      ? `The file ends in the middle of conversation ${number} (${title}). Download the export again; what came before stays imported.`
      : `The file is damaged at conversation ${number} (${title}). Download the export again; what came before stays imported.`;
  return unreadable("broken_json", message, 400, { after: cause.items, ...(known && { title: known }) });
}
