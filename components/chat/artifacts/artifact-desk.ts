import { createContext } from "react";
import { ArtifactFold, type Artifacts } from "@/lib/client/run/artifacts";
import type { TurnView } from "@/lib/client/run/messages-to-turns";

/** Where the turns come from whose artifacts these are. */
export interface TurnSource {
  subscribe(listener: () => void): () => void;
  turns(): readonly TurnView[];
}

/** Which artifact is open, and in which version: from 0, null for the newest one, whatever comes. */
export interface Opened {
  id: string;
  number: number | null;
}

/**
 * The artifacts of a conversation and the one that is open. That one stands in the address, so that a reload shows it
 * again and Back closes it.
 */
export class ArtifactDesk {
  /** What opened it, and gets the focus back. */
  opener: HTMLElement | null = null;
  /** Whether the keyboard did. */
  takesFocus = false;
  /** The way back has begun, and is gone once. */
  private isClosing = false;
  private readonly fold = new ArtifactFold();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly source: TurnSource,
    /** On a page that somebody may save, where the code stays beside its row; it has no sidebar. */
    readonly isShared: boolean,
  ) {}

  readonly artifacts = (): Artifacts => this.fold.fold(this.source.turns());

  readonly subscribe = (listener: () => void): (() => void) => {
    const stop = this.source.subscribe(listener);
    const stopAddress = this.onAddress(listener);
    return () => {
      stop();
      stopAddress();
    };
  };

  /** Of what is open alone. */
  readonly onAddress = (listener: () => void): (() => void) => {
    const moved = () => {
      this.isClosing = false;
      listener();
    };
    this.listeners.add(listener);
    window.addEventListener("popstate", moved);
    return () => {
      this.listeners.delete(listener);
      window.removeEventListener("popstate", moved);
    };
  };

  /** As it stands in the address; the same text as long as the same is open. */
  readonly address = (): string => new URLSearchParams(location.search).get(parameter) ?? "";

  open({ id, number }: Opened): void {
    const isOpen = this.address() !== "";
    const state = { artifact: isOpen ? isOurs() : true };
    const to = addressWith(`${id}~${number === null ? "" : number + 1}`);
    if (isOpen) history.replaceState(state, "", to);
    else history.pushState(state, "", to);
    this.tell();
  }

  close(): void {
    if (this.address() === "" || this.isClosing) return;
    // Its own entry of the history goes with it, so that Back leads to where one was before.
    if (isOurs()) {
      this.isClosing = true;
      history.back();
    } else {
      history.replaceState(null, "", addressWith(null));
      this.tell();
    }
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

export const Desk = createContext<ArtifactDesk | null>(null);

/** What the parameter says; null for nothing. */
export function readOpened(address: string): Opened | null {
  const [, id, number] = /^(.+)~(\d{0,6})$/s.exec(address) ?? [];
  return id === undefined ? null : { id, number: number ? Math.max(0, Number(number) - 1) : null };
}

const parameter = "artifact";

const isOurs = () => (history.state as { artifact?: boolean } | null)?.artifact === true;

function addressWith(value: string | null): string {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(parameter);
  else url.searchParams.set(parameter, value);
  return url.pathname + url.search + url.hash;
}
