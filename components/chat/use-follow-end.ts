"use client";

import { type RefCallback, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";

/** Whoever is as near to the end, px, reads there. */
const nearEnd = 70;
/** What a browser may be off by when it rounds the place of the end, px. */
const rounding = 2;
/** Keys that scroll up, or lead to a place there. */
const upKeys = new Set(["PageUp", "ArrowUp", "Home", "Tab", "Enter", " "]);
/** Those that do so while one writes, too. */
const upKeysInForm = new Set(["PageUp", "Tab"]);
/** For so long, ms, a place further up may come from what a person has done. */
const inputMs = 1_000;

export interface FollowEnd {
  scrollRef: RefObject<HTMLElement | null>;
  /** Goes on the scrolling element. */
  setScroll: RefCallback<HTMLElement>;
  /** Goes on what grows inside it. */
  setContent: RefCallback<HTMLElement>;
  /** Whether the end can be seen, or nearly. */
  isAtEnd: boolean;
  /** Whether it goes along with the end now. */
  isFollowing(): boolean;
  toEnd(): void;
  /** Stands still from now on, whatever comes. */
  stop(): void;
}

/**
 * Keeps the end of what grows in view until one scrolls away, and again when one comes back. It reads and scrolls where
 * the browser has just laid out the page, before it paints: no frame is laid out twice, and none shows an older place.
 */
export function useFollowEnd(): FollowEnd {
  const scrollRef = useRef<HTMLElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [follower] = useState(() => new EndFollower(setAtEnd));
  useEffect(() => {
    window.addEventListener("pointerup", follower.onRelease);
    window.addEventListener("pointercancel", follower.onRelease);
    window.addEventListener("keydown", follower.onKey);
    return () => {
      window.removeEventListener("pointerup", follower.onRelease);
      window.removeEventListener("pointercancel", follower.onRelease);
      window.removeEventListener("keydown", follower.onKey);
    };
  }, [follower]);
  const setScroll = useCallback<RefCallback<HTMLElement>>(
    (element) => {
      scrollRef.current = element;
      if (element) return follower.attach(element);
    },
    [follower],
  );
  const setContent = useCallback<RefCallback<HTMLElement>>(
    (element) => {
      if (element) return follower.watch(element);
    },
    [follower],
  );
  return useMemo(
    () => ({ scrollRef, setScroll, setContent, isAtEnd, ...follower.actions }),
    [setScroll, setContent, isAtEnd, follower],
  );
}

class EndFollower {
  private element: HTMLElement | null = null;
  private following = true;
  private pressed = false;
  private lastInput = Number.NEGATIVE_INFINITY;
  /** Where the last look found it. */
  private top = 0;
  private height = 0;
  /** It was scrolled from here, and the event of that is still to come. */
  private isOwn = false;
  /** Made with the first element: the server has none. */
  private sizes: ResizeObserver | undefined;

  constructor(private readonly setAtEnd: (isAtEnd: boolean) => void) {}

  readonly actions = {
    isFollowing: () => this.following,
    toEnd: () => {
      this.following = true;
      this.scroll();
    },
    stop: () => {
      this.following = false;
    },
  };

  readonly onRelease = ({ target }: Event) => {
    const wasPressed = this.pressed;
    this.pressed = false;
    if (wasPressed || !isInForm(target)) this.lastInput = performance.now();
  };

  readonly onKey = ({ key, target }: KeyboardEvent) => {
    const keys = isInForm(target) ? upKeysInForm : upKeys;
    if (keys.has(key)) this.lastInput = performance.now();
  };

  attach(element: HTMLElement): () => void {
    this.element = element;
    const detachers = [
      on(element, "scroll", () => this.onScroll()),
      on(element, "wheel", (event) => this.onWheel(event)),
      on(element, "pointerdown", () => {
        this.pressed = true;
      }),
      on(element, "touchmove", () => {
        this.lastInput = performance.now();
      }),
    ];
    const unwatch = this.watch(element);
    return () => {
      for (const detach of detachers) detach();
      unwatch();
      this.element = null;
    };
  }

  watch(element: HTMLElement): () => void {
    this.sizes ??= new ResizeObserver(() => this.onLayout());
    this.sizes.observe(element);
    return () => this.sizes?.unobserve(element);
  }

  /** The page is laid out now and not painted yet. */
  private onLayout(): void {
    if (this.following && this.wasMoved()) this.following = false;
    if (this.following && !this.isSelecting()) this.scroll();
    else this.tell();
  }

  /** Whether somebody has scrolled up. */
  private wasMoved(): boolean {
    if (!this.element || !this.mayBePerson()) return false;
    const { scrollTop, clientHeight } = this.element;
    const expected = Math.min(this.top, this.height - clientHeight);
    return scrollTop < expected - rounding && this.left() > rounding;
  }

  /**
   * A browser takes the end along when what is far above gets its real height, and a frame later that looks as if somebody
   * had scrolled. What people do says so before; only the browser's own search does not, and it has the focus then.
   */
  private mayBePerson(): boolean {
    return this.pressed || performance.now() - this.lastInput < inputMs || !document.hasFocus();
  }

  /** To look means to lay out the page, which it is about to be anyway; so not for what was scrolled from here. */
  private onScroll(): void {
    const { isOwn } = this;
    this.isOwn = false;
    if (!this.element || (isOwn && this.following)) return;
    const { scrollTop } = this.element;
    const isUp = scrollTop < this.top;
    this.top = scrollTop;
    this.height = this.element.scrollHeight;
    const left = this.left();
    if (isUp && left > rounding) this.following &&= !this.mayBePerson();
    else if (!isUp && left <= nearEnd) this.following = true;
    this.setAtEnd(this.following || left <= nearEnd);
  }

  /** Said before the page has moved: else what comes in the same frame would take it back to the end. */
  private onWheel({ deltaY, target }: WheelEvent): void {
    if (deltaY >= 0 || !this.element || this.element.scrollTop <= 0) return;
    for (let at = target as Element | null; at && at !== this.element; at = at.parentElement)
      if (at.scrollTop > 0) return; // it scrolls by itself
    this.following = false;
  }

  private scroll(): void {
    if (!this.element) return;
    const { scrollHeight } = this.element;
    this.element.scrollTop = scrollHeight;
    const { scrollTop } = this.element;
    this.isOwn ||= scrollTop !== this.top;
    this.top = scrollTop;
    this.height = scrollHeight;
    this.setAtEnd(true);
  }

  private tell(): void {
    if (this.element) this.setAtEnd(this.following || this.left() <= nearEnd);
  }

  private left(): number {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = this.element ?? {};
    return scrollHeight - scrollTop - clientHeight;
  }

  private isSelecting(): boolean {
    if (!this.pressed) return false;
    const selection = getSelection();
    return (
      selection !== null && !selection.isCollapsed && this.element?.contains(selection.anchorNode) === true
    );
  }
}

/** What is sent from there scrolls nothing up; what it makes shorter for a moment is not taken for that. */
const isInForm = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("form") !== null;

function on<K extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): () => void {
  element.addEventListener(type, listener, { passive: true });
  return () => element.removeEventListener(type, listener);
}
