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
import type { Env } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import type { AttachmentRow } from "@/lib/store/types";
import { fieldError } from "./errors";
import { fetchPicture } from "./fetch-picture";

const maxFiles = 50;
/** Of all pictures that are fetched for one request: as much as its body may have. */
const maxFetchedBytes = 32 * 1024 * 1024;
const longestFetchMs = 30_000;

/** A picture or a document of a program's message. */
export interface SentFile {
  /** `data:` with its type and base64; of a picture, an `https:` address too. */
  url: string;
  name?: string | undefined;
  /** A document is taken where it stands as one alone. */
  mustBePicture: boolean;
  /** Where it stands in the request. */
  param: string;
}

/** Beside the files, what may be reached for pictures. */
export interface PictureDeps {
  env: Pick<Env, "MEMBERS_PRIVATE_HOSTS">;
}

interface Sender {
  userId: string;
  /** Ends when the caller has gone. */
  signal: AbortSignal;
}

/** Stores the files of one request, each as an upload of its person; `ids` are those that it has stored. */
export class SentFiles {
  readonly ids: string[] = [];
  private fetchedBytes = 0;
  private deadline: AbortSignal | undefined;

  constructor(
    private readonly deps: FileDeps & PictureDeps,
    private readonly sender: Sender,
  ) {}

  async keep({ url, name, mustBePicture, param }: SentFile): Promise<StoredFile> {
    if (this.ids.length >= maxFiles)
      throw fieldError(param, `a request may hold at most ${maxFiles} files; send fewer at once.`);
    const isAddress = mustBePicture && !/^data:/i.test(url);
    const keeping = isAddress ? this.keepFetched(url) : this.keepSent(dataOf(url, param, name), param);
    const row = await keeping.catch((cause) => {
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

  private async keepSent({ bytes, ...file }: SentData, param: string): Promise<AttachmentRow> {
    if (bytes.byteLength > maxFileBytes) throw fieldError(param, tooLarge(file.name), 413, "file_too_large");
    return keepLoose(this.deps, { ...file, userId: this.sender.userId, pieces: piecesOf(bytes) });
  }

  private keepFetched(address: string): Promise<AttachmentRow> {
    const { userId, signal } = this.sender;
    this.deadline ??= AbortSignal.any([signal, AbortSignal.timeout(longestFetchMs)]);
    const left = maxFetchedBytes - this.fetchedBytes;
    const reach = {
      // Whoever wrote the question may have named the address: an admin reaches no more than a member.
      allowed: this.deps.env.MEMBERS_PRIVATE_HOSTS,
      signal: this.deadline,
      maxBytes: Math.min(maxFileBytes, left),
    };
    return fetchPicture(address, reach, async ({ name, pieces }) => {
      const file = { userId, name: cleanName(name), declared: "image/*", pieces };
      const row = await keepLoose(this.deps, file);
      this.fetchedBytes += row.size;
      return row;
    });
  }
}

interface SentData {
  name: string;
  declared: string;
  bytes: Buffer;
}

function dataOf(url: string, param: string, name: string | undefined): SentData {
  const at = url.indexOf(",");
  const head = /^data:([^;,]*)(?:;[^,]*)?;base64$/i.exec(url.slice(0, Math.min(at, 200)));
  const data = url.slice(at + 1);
  if (at < 0 || !head || !/^[A-Za-z0-9+/_=\s-]+$/.test(data))
    throw fieldError(param, "must be a data: URL with base64; only addresses of pictures are fetched.");
  const declared = (head[1] ?? "").toLowerCase();
  return {
    ...{ declared, bytes: Buffer.from(data, "base64") },
    name: cleanName(name ?? `file.${declared.split("/").at(-1) || "bin"}`),
  };
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
