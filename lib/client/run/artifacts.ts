import { type ArtifactForm, artifactOf } from "@/lib/client/text/artifact-of";
import { type Fence, fencesOf } from "@/lib/client/text/fences";
import type { TurnView } from "./messages-to-turns";
import type { TextView } from "./run-view";

/** A document that the model has written, with all its versions on this branch. */
export interface Artifact extends ArtifactForm {
  /** The same after a reload. */
  id: string;
  /** Oldest first; each has another text than the one before. */
  versions: readonly ArtifactVersion[];
}

export interface ArtifactVersion {
  /** Without blank lines at its end, which nobody sees. */
  code: string;
  /** It is being written. */
  isGrowing: boolean;
  /** Epoch ms; null where nobody knows. */
  at: number | null;
  /** What the person had said last. */
  after: string;
}

/** A version by its place: "third version of this one". */
export interface FoundVersion {
  artifact: Artifact;
  /** From 0. */
  number: number;
}

export interface Artifacts {
  /** Also by the id that it had before its question was stored. */
  byId(id: string): Artifact | undefined;
  /** The version with this text, without blank lines at its end; the one that is being written is `growing`. */
  find(code: string): FoundVersion | undefined;
  growing: FoundVersion | undefined;
}

/** All artifacts of a branch, as a fold of its turns. What stays the same object is not read again. */
export class ArtifactFold {
  private readonly blocks = new WeakMap<TextView, readonly Block[]>();
  private turns: readonly TurnView[] | undefined;
  private folded: Artifacts = none;

  fold(turns: readonly TurnView[]): Artifacts {
    if (turns !== this.turns) this.folded = this.read(turns);
    this.turns = turns;
    return this.folded;
  }

  private read(turns: readonly TurnView[]): Artifacts {
    const all = new Map<string, Artifact & { versions: ArtifactVersion[] }>();
    const byCode = new Map<string, FoundVersion>();
    // A question that has just been asked is known by its key until its message has an id.
    const before = new Map<string, string>();
    let growing: FoundVersion | undefined;
    for (const piece of this.pieces(turns)) {
      const { form, place, version } = piece;
      const id = form.name === null ? place : `${form.kind}:${form.name}`;
      if (form.name === null) before.set(piece.placeBefore, id);
      const artifact = all.get(id) ?? { ...form, id, versions: [] };
      all.set(id, artifact);
      const { versions } = artifact;
      const last = versions.at(-1);
      if (!last || version.isGrowing || last.code !== version.code) versions.push(version);
      const found = { artifact, number: versions.length - 1 };
      if (version.isGrowing) growing = found;
      else byCode.set(version.code, found);
    }
    return {
      byId: (id) => all.get(id) ?? all.get(before.get(id) ?? ""),
      find: (code) => byCode.get(code),
      growing,
    };
  }

  private *pieces(turns: readonly TurnView[]): Generator<{
    form: ArtifactForm;
    place: string;
    placeBefore: string;
    version: ArtifactVersion;
  }> {
    for (const turn of turns) {
      const view = turn.answer?.view;
      const place = turn.question?.id ?? turn.key;
      let count = 0;
      for (const loop of view?.loops ?? []) {
        const isLive = view?.status === "running" && loop === view.loops.at(-1);
        for (const item of loop.items) {
          if (item.kind !== "text") continue;
          for (const { fence, form } of this.blocksOf(item)) {
            const said = view?.steering.findLast(({ after }) => after < loop.number)?.text;
            const version = {
              code: fence.code,
              isGrowing: !fence.isClosed && isLive && item === loop.items.at(-1),
              at: loop.startedAt ?? view?.startedAt ?? null,
              after: said ?? turn.question?.text ?? "",
            };
            count++;
            yield { form, place: `${place}.${count}`, placeBefore: `${turn.key}.${count}`, version };
          }
        }
      }
    }
  }

  private blocksOf(item: TextView): readonly Block[] {
    const known = this.blocks.get(item);
    if (known) return known;
    const blocks = fencesOf(item.text).flatMap((fence) => {
      const form = artifactOf(fence);
      return form ? [{ fence: { ...fence, code: fence.code.trimEnd() }, form }] : [];
    });
    this.blocks.set(item, blocks);
    return blocks;
  }
}

interface Block {
  fence: Fence;
  form: ArtifactForm;
}

const none: Artifacts = { byId: () => undefined, find: () => undefined, growing: undefined };
