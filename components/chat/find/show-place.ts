import type { MessagePlace } from "@/lib/client/conversation/stored-turns";
import { plain, wordsOf } from "@/lib/client/text/find-words";
import { markWords } from "./mark-words";

/** Until a turn that has been loaded is drawn, ms. */
const drawnWithin = 5_000;
/** Folded parts that are opened for one message. */
const maxOpened = 20;
/** What is far from the window has a guessed height until it is near: the place is taken again for so many frames. */
const settlingFrames = 12;

export interface ShowOptions {
  /** What was looked for; without it the whole message is marked. */
  query: string;
  /** Whether the focus goes to the place. */
  takesFocus: boolean;
}

/** Takes the reader to a message: opens what is folded round the words, scrolls there and marks it. Resolves to the element. */
export async function showPlace(
  scroller: HTMLElement,
  place: MessagePlace,
  { query, takesFocus }: ShowOptions,
): Promise<HTMLElement | null> {
  const turn = await drawn(scroller, `[data-turn="${CSS.escape(place.turn)}"]`);
  if (!turn) return null;
  const words = wordsOf(query);
  const target = targetIn(turn, place, words);
  if (target.matches("button[aria-expanded=false]")) target.click();
  const part = target.matches("button") ? (target.closest<HTMLElement>("[data-loop]") ?? turn) : target;
  let ranges = await drawnRanges(part, query);
  if (ranges.length === 0 && words.length > 0) {
    for (const folded of [...part.querySelectorAll<HTMLElement>(foldedParts)].slice(0, maxOpened))
      open(folded);
    ranges = await drawnRanges(part, query);
  }
  // In the order of the page: of a call the words in its line come first.
  const first = target.matches("button") ? ranges.find((range) => follows(target, range)) : ranges[0];
  if (first) openRound(first, turn);
  await settle(scroller, first ?? target);
  if (takesFocus) focusOn(target);
  flash(target);
  return target;
}

/** The element of the message inside its turn. */
function targetIn(turn: HTMLElement, { message, loop }: MessagePlace, words: readonly string[]): HTMLElement {
  const find = (selector: string) => turn.querySelector<HTMLElement>(selector);
  if (message.role === "user") return find(`[data-message="${CSS.escape(message.id)}"]`) ?? turn;
  const whole = find(`[data-loop="${loop}"]`) ?? turn;
  if (message.role !== "assistant") return whole;
  const holds = (text: string) => {
    const flat = plain(text);
    return words.some((word) => flat.includes(word));
  };
  if (message.parts.some((part) => part.type === "text" && holds(part.text))) return whole;
  for (const part of message.parts)
    if (part.type === "tool_call" && holds(`${part.name} ${JSON.stringify(part.args)}`))
      return find(`[data-call="${CSS.escape(part.id)}"]`) ?? whole;
  return whole;
}

const foldedParts = "button[aria-expanded=false]:not([aria-haspopup]), details:not([open]) > summary";

function open(folded: HTMLElement): void {
  if (folded instanceof HTMLButtonElement || folded.tagName === "SUMMARY") folded.click();
}

/** What hides a place that is drawn: a closed part, or one that shows its beginning only. */
function openRound(range: Range, turn: HTMLElement): void {
  for (let at = range.startContainer.parentElement; at && at !== turn; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement && !at.open) at.open = true;
    const hides = getComputedStyle(at).overflowY === "hidden" && at.scrollHeight > at.clientHeight + 1;
    if (hides) at.parentElement?.querySelector<HTMLElement>(":scope > button[aria-expanded=false]")?.click();
  }
}

const follows = (element: Element, range: Range) =>
  Boolean(element.compareDocumentPosition(range.startContainer) & Node.DOCUMENT_POSITION_FOLLOWING);

async function drawn(scroller: HTMLElement, selector: string): Promise<HTMLElement | null> {
  const until = performance.now() + drawnWithin;
  for (;;) {
    const found = scroller.querySelector<HTMLElement>(selector);
    if (found || performance.now() > until) return found;
    await frame();
  }
}

/** What has just been opened is drawn in the next frames, and what draws it may have to be fetched. */
async function drawnRanges(part: Element, query: string): Promise<Range[]> {
  let ranges = markWords(part, query);
  for (let left = 3; ranges.length === 0 && query !== "" && left > 0; left--) {
    await frame();
    ranges = markWords(part, query);
  }
  return ranges;
}

async function settle(scroller: HTMLElement, place: Range | HTMLElement): Promise<void> {
  const element = place instanceof Range ? place.startContainer.parentElement : place;
  // Whoever scrolls meanwhile goes on from there.
  const moved = new AbortController();
  for (const type of ["wheel", "touchmove", "pointerdown"])
    scroller.addEventListener(type, () => moved.abort(), { signal: moved.signal, passive: true });
  let before = Number.NaN;
  for (let left = settlingFrames; left > 0 && !moved.signal.aborted; left--) {
    const isTall = element !== null && element.offsetHeight > scroller.clientHeight / 2;
    element?.scrollIntoView({ block: isTall ? "start" : "center", inline: "nearest" });
    if (place instanceof Range) {
      const [at, view] = [place.getBoundingClientRect(), scroller.getBoundingClientRect()];
      if (at.bottom > view.bottom || at.top < view.top)
        scroller.scrollTop += at.top - view.top - view.height / 3;
    }
    await frame();
    const now = place.getBoundingClientRect().top;
    if (Math.abs(now - before) < 1) break;
    before = now;
  }
  moved.abort();
}

function focusOn(target: HTMLElement): void {
  if (!target.matches("button, a, input, [tabindex]")) target.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** For a moment, and gone at once where nothing may move. */
function flash(target: HTMLElement): void {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const ground = getComputedStyle(target).getPropertyValue("--paper-3");
  target.animate([{ backgroundColor: ground }, { backgroundColor: "transparent" }], {
    duration: 1_800,
    easing: isCalm ? "steps(1, end)" : "ease-in",
  });
}

/** In a tab that nobody sees there are no frames. */
const frame = () =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 100);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve();
    });
  });
