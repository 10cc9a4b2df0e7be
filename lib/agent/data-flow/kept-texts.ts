import { type Passage, Passages, shortestPassage } from "./passages";

/** A long text goes piece by piece, so that its end is still here when its beginning is not. */
const pieceLength = 1 << 16;

interface Kept<Source> {
  text: string;
  source: Source;
}

/**
 * The texts in which passages are looked for, at most as many characters as `most`. What is too much goes from the side that
 * has most, its oldest first: nobody's flood takes the place of others.
 */
export class KeptTexts<Source> {
  private kept: Kept<Source>[] = [];
  private characters = 0;
  private passages = new Passages<Source>();

  constructor(
    private readonly most: number,
    private readonly sideOf: (source: Source) => unknown,
  ) {}

  /** Adds it in steps; each gives how many characters it has looked at. Nothing may be looked for before the last one. */
  *add(text: string, source: Source): Generator<number, void> {
    for (const piece of piecesOf(text)) {
      this.kept.push({ text: piece, source });
      this.characters += piece.length;
      this.passages.add(piece, source);
      yield piece.length;
    }
    if (this.characters > this.most) yield* this.dropOldest((this.most * 3) / 4);
  }

  find(text: string): Passage<Source>[] {
    return this.passages.find(text);
  }

  private *dropOldest(most: number): Generator<number, void> {
    const sides = Map.groupBy(this.kept, ({ source }) => this.sideOf(source));
    const queues = [...sides.values()].map((texts) => ({ texts, gone: 0, characters: sizeOf(texts) }));
    const gone = new Set<Kept<Source>>();
    while (this.characters > most) {
      const largest = queues.reduce((a, b) => (b.characters > a.characters ? b : a));
      const oldest = largest.texts[largest.gone++];
      if (!oldest) break;
      gone.add(oldest);
      largest.characters -= oldest.text.length;
      this.characters -= oldest.text.length;
    }
    this.kept = this.kept.filter((one) => !gone.has(one));
    this.passages = new Passages();
    for (const { text, source } of this.kept) {
      this.passages.add(text, source);
      yield text.length;
    }
  }
}

const sizeOf = (texts: readonly Kept<unknown>[]) => texts.reduce((sum, { text }) => sum + text.length, 0);

/** They overlap, so that no passage is cut. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from === 0 || from + shortestPassage <= text.length; from += pieceLength)
    pieces.push(text.slice(from, from + pieceLength + shortestPassage - 1));
  return pieces;
}
