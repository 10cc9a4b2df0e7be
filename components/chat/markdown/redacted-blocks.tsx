import type { ComponentProps } from "react";
import { RedactedBlock } from "@/components/ui/redacted";
import { redactedPieces } from "@/lib/protocol/redacted-text";
import type { RedactedKind } from "@/lib/protocol/share-policy";

/** As far as it is looked at here. */
interface Node {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, string | number>;
  children?: Node[];
}

/** A plugin of rehype: marks of redacted texts become `mark` elements, which nothing else in Markdown makes. Code with lines of its own draws them itself. */
export function redactedMarks() {
  return (tree: object): void => visit(tree as Node);
}

function visit(node: Node): void {
  if (!node.children || node.tagName === "pre") return;
  node.children = node.children.flatMap((child) => {
    visit(child);
    if (child.type !== "text" || !child.value?.includes("█")) return child;
    return redactedPieces(child.value).map((piece) =>
      typeof piece === "string"
        ? { type: "text", value: piece }
        : {
            type: "element",
            tagName: "mark",
            properties: { dataKind: piece.kind, dataBlocks: piece.blocks },
            children: [],
          },
    );
  });
}

/** Draws what the plugin has made. */
export function RedactedMark(
  props: ComponentProps<"mark"> & { "data-kind"?: RedactedKind; "data-blocks"?: number },
) {
  const kind = props["data-kind"];
  return kind && <RedactedBlock kind={kind} blocks={Number(props["data-blocks"])} />;
}
