import { BodyText } from "@/lib/providers/openai/body-text";
import { bytesWithoutSecrets, endBeforeSecret, type SecretForms } from "./secret-forms";

/** Bytes that are kept of a body. */
export const maxBody = 1_000_000;
/** Memory is taken in blocks, which are used again: new ones for each answer would cost more than all else that is recorded. */
const blockBytes = 65_536;
/** What recordings of this process may hold at once, before they are stored; beyond it bodies are cut. */
const maxBlocks = 1_024;
/** Blocks that are kept for the next answers. */
const maxFree = 64;
/** A body of several blocks is read in one piece, of as many bytes or more; so many pieces are kept for the next. */
const pieceBytes = 4 * blockBytes;
const maxFreePieces = 16;

/** The memory of all recordings that are under way. */
export class WireRoom {
  private held = 0;
  private readonly free: Buffer[] = [];
  private readonly freePieces: Buffer[] = [];

  take(): Buffer | undefined {
    if (this.held >= maxBlocks) return undefined;
    this.held++;
    return this.free.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
  }

  give(blocks: readonly Buffer[]): void {
    this.held -= blocks.length;
    this.free.push(...blocks.slice(0, maxFree - this.free.length));
  }

  takePiece(bytes: number): Buffer {
    const free = bytes <= pieceBytes ? this.freePieces.pop() : undefined;
    return free ?? Buffer.allocUnsafeSlow(Math.max(bytes, pieceBytes));
  }

  givePiece(piece: Buffer): void {
    if (piece.length === pieceBytes && this.freePieces.length < maxFreePieces) this.freePieces.push(piece);
  }
}

/** The beginning of a body, as far as there is room for it. */
export class WireBytes {
  /** Of the whole body. */
  total = 0;
  private blocks: Buffer[] = [];
  private piece: Buffer | undefined;
  private length = 0;

  constructor(
    private readonly room: WireRoom,
    private readonly limit: number,
  ) {}

  add(piece: Uint8Array): void {
    const before = this.total;
    this.total += piece.length;
    // What comes after a gap is not its beginning.
    if (before > this.length) return;
    const wanted = Math.min(this.limit, this.total);
    for (let at = 0; this.length < wanted; ) {
      const block = this.openBlock();
      if (!block) return;
      const start = this.length % blockBytes;
      const count = Math.min(wanted - this.length, blockBytes - start);
      // A view of a piece costs more than what it is here for.
      block.set(count === piece.length ? piece : piece.subarray(at, at + count), start);
      at += count;
      this.length += count;
    }
  }

  /** The whole body, of which no more is written as bytes than is kept. */
  addText(text: string): void {
    this.add(Buffer.from(text.slice(0, this.limit)));
    this.total = Buffer.byteLength(text);
  }

  /** They hold until `release`. */
  get bytes(): Buffer {
    const [first = Buffer.alloc(0), ...others] = this.blocks;
    if (others.length === 0) return first.subarray(0, this.length);
    if (!this.piece) {
      this.piece = this.room.takePiece(this.blocks.length * blockBytes);
      for (const [at, block] of this.blocks.entries()) this.piece.set(block, at * blockBytes);
    }
    return this.piece.subarray(0, this.length);
  }

  get isCut(): boolean {
    return this.total > this.length;
  }

  /** Nothing of it is kept any more. */
  release(): void {
    this.room.give(this.blocks);
    if (this.piece) this.room.givePiece(this.piece);
    this.blocks = [];
    this.piece = undefined;
    this.length = 0;
  }

  private openBlock(): Buffer | undefined {
    if (this.length < this.blocks.length * blockBytes) return this.blocks.at(-1);
    const block = this.room.take();
    if (block) this.blocks.push(block);
    return block;
  }
}

/**
 * At most so much of a body, without secrets and without the first half of one at the end, where it is cut or, not being
 * `isWhole`, broke off.
 */
export function cleanBody(
  { bytes, isCut }: Pick<WireBytes, "bytes" | "isCut">,
  forms: SecretForms,
  isWhole = true,
): { bytes: Buffer; isCut: boolean } {
  const clean = bytesWithoutSecrets(bytes, forms);
  const whole = isWhole ? clean.length : endBeforeSecret(clean, forms);
  const end = Math.min(maxBody, isCut ? clean.length - forms.longest : whole);
  if (end === clean.length) return { bytes: clean, isCut: false };
  return { bytes: clean.subarray(0, wholeCharacters(clean, Math.max(0, end))), isCut: true };
}

/** Not in the middle of a character of UTF-8. */
function wholeCharacters(bytes: Uint8Array, end: number): number {
  let at = end;
  while (at > 0 && at > end - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}

const readable = /^(gzip|x-gzip|deflate|br)$/;

/** What a compressed body says, as far as it is whole: a secret in it would not be seen. Nothing of an unknown kind. */
export async function unpackedBody(
  body: Pick<WireBytes, "bytes" | "isCut">,
  encoding = "identity",
  limit: number,
): Promise<Pick<WireBytes, "bytes" | "isCut">> {
  const kind = encoding.trim().toLowerCase();
  if (kind === "" || kind === "identity") return body;
  if (!readable.test(kind)) return { bytes: Buffer.alloc(0), isCut: true };
  const pieces: string[] = [];
  let length = 0;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const unpacker = new BodyText(kind, {
    text(piece) {
      pieces.push(piece);
      length += piece.length;
      if (length <= limit) return;
      unpacker.destroy();
      resolve(true);
    },
    end: () => resolve(body.isCut),
    fail: () => resolve(true),
  });
  unpacker.write(body.bytes);
  unpacker.end();
  const isCut = await promise;
  return { bytes: Buffer.from(pieces.join("")).subarray(0, limit), isCut };
}
