import { createElement, Fragment, isValidElement, type ReactElement, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { markdownPolicy, safeUrl } from "@/components/ui/code/markdown-policy";
import { withBlocks } from "@/components/ui/redacted";
import { cutPlain, type MarkdownBlock, textOf } from "@/lib/client/text/markdown-pieces";
import { joinMathLines, mathBlockAt, mayHoldMath } from "@/lib/client/text/math-blocks";
import { markdownCost, maxBlockCost } from "@/lib/protocol/markdown-cost";
import { closeMarks, writtenMath } from "./close-marks";
import { CodePieces } from "./code-pieces";
import { DataTable } from "./data-table";
import { HighlightedCode } from "./highlighted-code";
import { MathSpan } from "./math-span";
import { remarkMath, unfinished } from "./math-syntax";
import { PlainTable } from "./plain-table";
import { RedactedMark, redactedMarks } from "./redacted-blocks";

/** What all pieces of one block may cost; a table is laid out as a whole, so for it the limit of one piece holds. */
const maxPiecesCost = 3 * maxBlockCost;
/** Plain text that is longer is laid out in pieces. */
const maxPlainChars = 16_000;

type Root = ReactElement<{ children?: ReactNode }>;

/** What one piece became; it stays the same object as long as its text does. */
interface Piece {
  text: string;
  isLoose: boolean;
  hasParagraphs: boolean;
  root: Root | null;
  node: ReactNode;
}

/** Draws one block that grows: its pieces that stand are neither parsed nor rendered again. */
export class BlockDrawing {
  private pieces: Piece[] = [];
  private costs: { text: string; cost: number }[] = [];
  /** Whether the items of a list are paragraphs, which one blank line between two of them decides for all. */
  private isLoose = false;
  /** Characters of the list as it was drawn last, with nothing closed for show. */
  private listLength = 0;

  /** `open`: it is being written, so what is half-written at its end is closed for show. */
  draw(block: MarkdownBlock, open: boolean): ReactNode {
    const { kind, head, pieces } = block;
    if (kind === "code") return <CodePieces head={head} pieces={pieces} open={open} />;
    if (kind === "math") return drawMath(mathBlockAt(textOf(block))?.tex ?? "");
    const written = open && kind === "paragraph" ? writtenMath(textOf(block)) : undefined;
    if (written !== undefined) return drawMath(written + unfinished);
    if (this.isTooMuch(block))
      return kind === "table" && !open ? <PlainTable text={textOf(block)} /> : <PlainText block={block} />;
    if (pieces.length > 1 && kind !== "other") {
      const close = open ? closeMarks : same;
      const texts = pieces.with(-1, close(head + (pieces.at(-1) ?? "")).slice(head.length));
      const drawn =
        kind === "list"
          ? this.drawList(texts, lengthOf(pieces))
          : texts.map((text, at) => this.drawPiece(block, text, at));
      const first = drawn[0]?.root;
      if (first && drawn.every(({ root }) => root?.type === first.type)) return join(kind, first, drawn);
    }
    const text = textOf(block);
    if (pieces.length > 1 && markdownCost(text) > maxBlockCost) return <PlainText block={block} />;
    return parse(open ? closeMarks(text) : text, open);
  }

  private drawPiece(
    { kind, head }: Pick<MarkdownBlock, "kind" | "head">,
    text: string,
    at: number,
    isLoose = false,
  ): Piece {
    const known = this.pieces[at];
    if (known?.text === text && known.isLoose === isLoose) return known;
    const root = rootOf(parse(isLoose ? text + looseEnd(text) : head + text, false));
    const node = root && drawInside(kind, root, at, isLoose);
    const piece = { text, isLoose, hasParagraphs: kind === "list" && hasParagraphs(root), root, node };
    this.pieces[at] = piece;
    return piece;
  }

  private drawList(texts: readonly string[], length: number): Piece[] {
    const draw = () =>
      texts.map((text, at) => this.drawPiece({ kind: "list", head: "" }, text, at, this.isLoose));
    // Another text is drawn in the same place, or what looked like an item was a line of a formula, which is none of it any more.
    if (this.pieces[0]?.text !== texts[0] || length < this.listLength) this.isLoose = false;
    this.listLength = length;
    const drawn = draw();
    if (this.isLoose) return drawn;
    this.isLoose =
      texts.slice(0, -1).some((text) => blankEnd.test(text)) || drawn.some((piece) => piece.hasParagraphs);
    return this.isLoose ? draw() : drawn;
  }

  private isTooMuch({ kind, head, pieces }: MarkdownBlock): boolean {
    let sum = 0;
    for (const [at, text] of pieces.entries()) {
      if (this.costs[at]?.text !== text) this.costs[at] = { text, cost: markdownCost(head + text) };
      const { cost = 0 } = this.costs[at] ?? {};
      if (cost > maxBlockCost) return true;
      sum += cost;
    }
    return sum > (kind === "table" ? maxBlockCost : maxPiecesCost);
  }
}

/** The text as it is: a block that would hold everybody up. */
function PlainText({ block }: { block: MarkdownBlock }) {
  const { head, pieces } = block;
  const text = textOf(block);
  if (text.length <= maxPlainChars) return <p className="whitespace-pre-wrap">{withBlocks(text)}</p>;
  const shown = pieces.length > 1 ? [head + pieces[0], ...pieces.slice(1)] : cutPlain(text);
  return (
    <p className="whitespace-pre-wrap">
      {shown.slice(0, -1).map((piece, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever appended
        <span key={at} className="piece">
          {withBlocks(piece)}
        </span>
      ))}
      {withBlocks(shown.at(-1) ?? "")}
    </p>
  );
}

const parse = (text: string, open: boolean): Root => {
  const hasMath = mayHoldMath(text);
  return ReactMarkdown({
    remarkPlugins: hasMath ? pluginsWithMath : plugins,
    ...(text.includes("█") && { rehypePlugins: [redactedMarks] }),
    urlTransform: safeUrl,
    components: open ? openComponents : components,
    children: hasMath ? joinMathLines(text) : text,
  }) as Root;
};

const plugins = [remarkGfm];
const pluginsWithMath = [remarkGfm, remarkMath];
const openComponents: Components = {
  ...markdownPolicy,
  mark: RedactedMark,
  span: MathSpan,
  table: DataTable,
};
/** Code is coloured once its block is closed. */
const components: Components = { ...openComponents, pre: HighlightedCode };

/** A formula with lines of its own: closed, or the source of one that is being written. */
function drawMath(tex: string): ReactNode {
  return <MathSpan data-math="block">{tex}</MathSpan>;
}

const same = (text: string) => text;

/** The one element of a drawn piece. */
function rootOf({ props }: ReactElement<{ children?: ReactNode }>): Root | null {
  const elements = childrenOf(props.children).filter((child) =>
    isValidElement<{ children?: ReactNode }>(child),
  );
  return elements.length === 1 ? (elements[0] ?? null) : null;
}

const childrenOf = (children: ReactNode): readonly ReactNode[] =>
  Array.isArray(children) ? children : [children];

function drawInside(kind: MarkdownBlock["kind"], root: Root, at: number, isLoose: boolean): ReactNode {
  const children = childrenOf(kind === "table" ? bodyOf(root)?.props.children : root.props.children);
  return (
    <Fragment key={at}>
      {isLoose ? children.slice(0, children.findLastIndex(isValidElement)) : children}
    </Fragment>
  );
}

const bodyOf = (table: Root) =>
  childrenOf(table.props.children).find(
    (child): child is Root => isValidElement(child) && child.type === "tbody",
  );

/** One element with what is inside those of all pieces. */
function join(kind: MarkdownBlock["kind"], first: Root, drawn: readonly Piece[]): ReactNode {
  const nodes = drawn.map(({ node }) => node);
  if (kind === "table") {
    const body = bodyOf(first);
    const around = childrenOf(first.props.children).map((child) =>
      child === body && body ? createElement("tbody", { ...body.props, key: "body" }, nodes) : child,
    );
    return createElement(first.type, first.props, ...around);
  }
  if (kind === "list") {
    const tasks = drawn.find(({ root }) => root && "className" in root.props)?.root?.props;
    return createElement(first.type, { ...first.props, ...(tasks && { className: classOf(tasks) }) }, nodes);
  }
  const last = nodes.length - 1;
  const stretches = nodes.map((node, at) =>
    at === last ? (
      node
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever appended
      <span key={at} className="piece">
        {node}
        {drawn[at]?.text.slice(-1)}
      </span>
    ),
  );
  return createElement(first.type, first.props, stretches);
}

const classOf = (props: object) => ("className" in props ? props.className : undefined);

/** An item after a blank line: with it the items before are loose, too. It is not drawn. */
const looseEnd = (text: string) =>
  `${text.endsWith("\n") ? "" : "\n"}\n${/^(?:[-*+]|\d+(?=[.)]))./.exec(text)?.[0].replace(/\d+/, "1") ?? "-"} .`;

const lengthOf = (pieces: readonly string[]) => pieces.reduce((sum, piece) => sum + piece.length, 0);

const blankEnd = /\n[ \t]*\n$/;

const hasParagraphs = (list: Root | null) =>
  childrenOf(list?.props.children).some(
    (item) =>
      isValidElement<{ children?: ReactNode }>(item) &&
      childrenOf(item.props.children).some((child) => isValidElement(child) && child.type === "p"),
  );
