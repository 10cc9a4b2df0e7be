import { toMarkdown } from "@/lib/protocol/told-markdown";
import type { ToldPart, ToldWords } from "@/lib/protocol/told-parts";
import type { LoopItem, RunView } from "./run-view";

/** A whole answer with its calls and what was said meanwhile, as an export writes it; reasoning is left out. */
export function answerMarkdown(view: RunView, words: ToldWords): string {
  const said = (after: number): ToldPart[] =>
    view.steering
      .filter((message) => message.after === after)
      .map(({ text, files }) => ({ kind: "said", text, files }));
  const parts = [
    ...said(0),
    ...view.loops.flatMap(({ number, items }) => [...items.flatMap(toPart), ...said(number)]),
  ];
  return `${parts
    .map((part) => toMarkdown(part, words))
    .join("")
    .trimEnd()}\n`;
}

function toPart(item: LoopItem): ToldPart[] {
  switch (item.kind) {
    case "text":
    case "json":
    case "summary":
      return item.text === "" ? [] : [{ kind: item.kind, text: item.text }];
    case "tool":
      return [{ kind: "call", name: item.call.name, args: item.args, result: item.result }];
    case "reasoning":
    case "notice":
      return [];
  }
}
