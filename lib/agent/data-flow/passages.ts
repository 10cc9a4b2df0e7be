/** UTF-16 code units: what is shorter is in many texts by chance. */
export const shortestPassage = 24;

/** Whatever is as long as a passage holds a whole window that begins at a multiple of `stride` in the text it is from. */
const stride = 12;
const windowSize = shortestPassage - stride + 1;

/** How many windows of the same text are kept, and of one source: a text that repeats itself costs no more than others. */
const maxAlike = { inAll: 16, ofSource: 2 };

/** Drawn by each process, so that nobody can write texts whose windows all have one hash. */
const base = Math.floor(Math.random() * 0x7fff_ffff) | 1;

/** What a character still counts in the hash of the window that begins right behind it. */
const baseOfGone = Array.from({ length: windowSize }).reduce<number>((power) => Math.imul(power, base), 1);

/** Bits of the filter for each window that there is room for: nearly all places of a text that shares nothing end there. */
const bitsOfWindow = 32;

/** A part of the text that was looked at: it stands word for word in a text of `source`. */
export interface Passage<Source> {
  from: number;
  /** Behind its last character. */
  to: number;
  source: Source;
}

/** Finds what a text shares with those that were added, in time linear in both. */
export class Passages<Source> {
  private readonly texts: { text: string; source: Source }[] = [];
  /** By the last bits of a hash: the number of the last window that has them, from 1; 0 for none. */
  private heads = new Int32Array(1 << 10);
  /** Two bits for each hash that is here; small enough for the cache of a processor. */
  private filter = new Int32Array((this.heads.length * bitsOfWindow) / 64);
  /** Four numbers a window: its hash, its text, where it begins there, and the window before it in its place of `heads`. */
  private windows = new Int32Array(2 * this.heads.length);
  private count = 0;

  add(text: string, source: Source): void {
    const index = this.texts.push({ text, source }) - 1;
    const bytes = lowBytesOf(text);
    for (let from = 0; from + windowSize <= text.length; from += stride)
      this.addWindow(hashAt(bytes, from), index, from);
  }

  /** Those of one source that touch are one; those of several sources may overlap. */
  find(text: string): Passage<Source>[] {
    const found: Passage<Source>[] = [];
    if (this.count === 0 || text.length < shortestPassage) return found;
    const latest = new Map<Source, Passage<Source>>();
    const bytes = lowBytesOf(text);
    for (const at of findAlike(bytes, this.filter)) {
      const hash = hashAt(bytes, at);
      for (let window = this.headOf(hash); window !== 0; window = this.at(window, 3))
        if (this.at(window, 0) === hash) this.compare(text, at, window, { found, latest });
    }
    return found;
  }

  private compare(
    text: string,
    at: number,
    window: number,
    { found, latest }: { found: Passage<Source>[]; latest: Map<Source, Passage<Source>> },
  ): void {
    const other = this.texts[this.at(window, 1)];
    if (!other) return;
    const { source } = other;
    const known = latest.get(source);
    // It is in the passage that was found there.
    if (known && at + windowSize <= known.to) return;
    const { from, to } = extend(text, at, other.text, this.at(window, 2));
    if (to - from < shortestPassage) return;
    if (known && from <= known.to) known.to = Math.max(known.to, to);
    else {
      const passage = { from, to, source };
      found.push(passage);
      latest.set(source, passage);
    }
  }

  private addWindow(hash: number, text: number, from: number): void {
    if (this.hasEnough(hash, text, from)) return;
    if (2 * this.count >= this.heads.length) this.grow();
    const at = 4 * this.count;
    this.windows[at] = hash;
    this.windows[at + 1] = text;
    this.windows[at + 2] = from;
    this.count += 1;
    this.link(this.count);
  }

  /** Whether enough windows with these characters are here. */
  private hasEnough(hash: number, text: number, from: number): boolean {
    const own = this.texts[text];
    let alike = 0;
    let ofSource = 0;
    for (let window = this.headOf(hash); window !== 0; window = this.at(window, 3)) {
      const other = this.texts[this.at(window, 1)];
      if (
        own &&
        other &&
        this.at(window, 0) === hash &&
        isSame(own.text, from, other.text, this.at(window, 2))
      ) {
        alike += 1;
        if (other.source === own.source) ofSource += 1;
      }
    }
    return alike >= maxAlike.inAll || ofSource >= maxAlike.ofSource;
  }

  private grow(): void {
    const windows = new Int32Array(2 * this.windows.length);
    windows.set(this.windows);
    this.windows = windows;
    this.heads = new Int32Array(2 * this.heads.length);
    this.filter = new Int32Array(2 * this.filter.length);
    for (let window = 1; window <= this.count; window++) this.link(window);
  }

  private link(window: number): void {
    const hash = this.at(window, 0);
    this.windows[4 * window - 1] = this.headOf(hash);
    this.heads[hash & (this.heads.length - 1)] = window;
    this.setBit(hash);
    this.setBit(otherBits(hash));
  }

  private setBit(bits: number): void {
    const word = bits >>> (32 - Math.log2(this.filter.length));
    this.filter[word] = (this.filter[word] ?? 0) | (1 << (bits & 31));
  }

  private headOf(hash: number): number {
    return this.heads[hash & (this.heads.length - 1)] ?? 0;
  }

  private at(window: number, field: 0 | 1 | 2 | 3): number {
    return this.windows[4 * (window - 1) + field] ?? 0;
  }
}

/** As far as both texts are the same around two equal windows; empty where the windows only have the same hash. */
function extend(text: string, at: number, other: string, otherAt: number): { from: number; to: number } {
  if (!isSame(text, at, other, otherAt)) return { from: at, to: at };
  let before = 0;
  // More belongs to a window before this one, which has been found.
  while (before < stride && at > before && text[at - before - 1] === other[otherAt - before - 1]) before++;
  let after = windowSize;
  while (at + after < text.length && text.charCodeAt(at + after) === other.charCodeAt(otherAt + after))
    after++;
  return { from: at - before, to: at + after };
}

function isSame(text: string, at: number, other: string, otherAt: number): boolean {
  for (let index = 0; index < windowSize; index++)
    if (text.charCodeAt(at + index) !== other.charCodeAt(otherAt + index)) return false;
  return true;
}

let memory = Buffer.alloc(1 << 16);

/**
 * The lower halves of the code units of a text, which are enough for a hash and for ASCII: to read a string unit by unit takes
 * several times as long. They are here until the next call: memory of their own would take as long as all else does.
 */
export function lowBytesOf(text: string): Uint8Array {
  if (memory.length < text.length) memory = Buffer.alloc(text.length);
  return memory.subarray(0, memory.write(text, "latin1"));
}

/** Where a window may begin whose hash is in the filter. A loop of its own, which is compiled well: it is where the time goes. */
function findAlike(bytes: Uint8Array, filter: Int32Array): number[] {
  const places: number[] = [];
  const shift = 32 - Math.log2(filter.length);
  const end = bytes.length - windowSize;
  let hash = hashAt(bytes, 0);
  for (let at = 0; at <= end; at++) {
    if (isSet(filter, hash, shift) && isSet(filter, otherBits(hash), shift)) places.push(at);
    const gone = Math.imul(bytes[at] ?? 0, baseOfGone);
    hash = (Math.imul(hash, base) + (bytes[at + windowSize] ?? 0) - gone) | 0;
  }
  return places;
}

/** For a second bit of the filter: each 50th place of a text that shares nothing meets a first one. */
const otherBits = (hash: number): number => Math.imul(hash, 0x9e37_79b1);

const isSet = (filter: Int32Array, bits: number, shift: number): boolean =>
  (((filter[bits >>> shift] ?? 0) >>> (bits & 31)) & 1) === 1;

function hashAt(bytes: Uint8Array, at: number): number {
  let hash = 0;
  for (let index = at; index < at + windowSize; index++)
    hash = (Math.imul(hash, base) + (bytes[index] ?? 0)) | 0;
  return hash;
}
