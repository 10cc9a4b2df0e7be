import type { StoredFile } from "@/lib/protocol/message";
import {
  cleanName,
  type FileDeps,
  isPicture,
  keepLoose,
  maxFileBytes,
  tooLarge,
  toPart,
} from "@/lib/server/attachments/attachments";
import { HttpError } from "@/lib/server/http/errors";
import { fieldError } from "./errors";

const maxFiles = 50;

/** A picture or a document of a program's message. */
export interface SentFile {
  /** `data:` with its type and base64. */
  url: string;
  name?: string | undefined;
  /** A document is taken where it stands as one alone. */
  mustBePicture: boolean;
  /** Where it stands in the request. */
  param: string;
}

/** Stores the files of one request, each as an upload of its person; `ids` are those that it has stored. */
export class SentFiles {
  readonly ids: string[] = [];

  constructor(
    private readonly deps: FileDeps,
    private readonly userId: string,
  ) {}

  async keep({ url, name: given, mustBePicture, param }: SentFile): Promise<StoredFile> {
    if (this.ids.length >= maxFiles)
      throw fieldError(param, `a request may hold at most ${maxFiles} files; send fewer at once.`);
    const { declared, bytes } = bytesOf(url, param);
    const name = cleanName(given ?? `file.${declared.split("/").at(-1) || "bin"}`);
    if (bytes.byteLength > maxFileBytes) throw fieldError(param, tooLarge(name), 413, "file_too_large");
    const row = await keepLoose(this.deps, {
      ...{ userId: this.userId, name, declared },
      pieces: piecesOf(bytes),
    }).catch((cause) => {
      throw cause instanceof HttpError ? fieldError(param, cause.message, cause.status, cause.code) : cause;
    });
    this.ids.push(row.id);
    if (mustBePicture && !isPicture(row))
      throw fieldError(
        param,
        "must be a picture: PNG, JPEG, GIF or WebP; send a document as a part of the type file.",
      );
    return toPart(row);
  }
}

/** Nothing is fetched: the address of a picture would be asked for from here. */
function bytesOf(url: string, param: string): { declared: string; bytes: Buffer } {
  const at = url.indexOf(",");
  const head = /^data:([^;,]*)(?:;[^,]*)?;base64$/i.exec(url.slice(0, Math.min(at, 200)));
  const data = url.slice(at + 1);
  if (at < 0 || !head || !/^[A-Za-z0-9+/_=\s-]+$/.test(data))
    throw fieldError(param, "must be a data: URL with base64; addresses are not fetched.");
  return { declared: (head[1] ?? "").toLowerCase(), bytes: Buffer.from(data, "base64") };
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
