/** A part of a picture that stays, or bytes that stand in place of what goes. */
export type KeptPart = { from: number; to: number } | Uint8Array;

/** A picture without what it says beside being one; `size` in bytes. */
export interface PicturePlan {
  parts: readonly KeptPart[];
  size: number;
}

/** As many segments of a picture are looked at. */
export const maxSegments = 100_000;

/** Collects what stays; neighbours become one. */
export class KeptParts {
  readonly parts: KeptPart[] = [];

  keep(from: number, to: number): void {
    const last = this.parts.at(-1);
    if (last && !(last instanceof Uint8Array) && last.to === from) last.to = to;
    else this.parts.push({ from, to });
  }

  put(bytes: Uint8Array): void {
    this.parts.push(bytes);
  }

  get size(): number {
    return this.parts.reduce((sum, part) => sum + sizeOf(part), 0);
  }
}

const sizeOf = (part: KeptPart): number => (part instanceof Uint8Array ? part.length : part.to - part.from);
