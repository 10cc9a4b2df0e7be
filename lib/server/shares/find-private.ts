import type { RedactedKind } from "@/lib/protocol/share-policy";
import { findSecrets, mergeRanges, type TextRange } from "./find-secrets";
import { privateShapes } from "./private-shapes";

/** Secrets as `findSecrets` tells them, and what says who somebody is and where: in order and without overlaps. */
export function findPrivate(text: string, known: readonly string[]): TextRange<RedactedKind>[] {
  const others = privateShapes.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      ...{ kind, start: index, end: index + found.length },
    })),
  );
  return mergeRanges<RedactedKind>([...findSecrets(text, known), ...others]);
}
