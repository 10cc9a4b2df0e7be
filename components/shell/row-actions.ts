"use client";

import { chosenNow, setChosen } from "./choosing";

/** How long a finger stays on a row to choose it, and how far it may stray meanwhile. */
const pressMs = 500;
const strayPx = 10;

/** From where Shift takes a row of them. */
let anchor: string | undefined;

/** Chooses a conversation or lets it go; with `toHere` chooses all from the last one to it. */
export function chooseRow(row: HTMLElement, toHere: boolean): void {
  const id = row.dataset.row ?? "";
  const next = new Set(chosenNow());
  if (toHere) for (const each of rowsBetween(idsRound(row), anchor, id)) next.add(each);
  else if (!next.delete(id)) next.add(id);
  anchor = id;
  setChosen(next);
}

/** All from one to the other in the order of the list, whichever comes first. */
export function rowsBetween(ids: readonly string[], from: string | undefined, to: string): string[] {
  const end = ids.indexOf(to);
  const start = from === undefined ? -1 : ids.indexOf(from);
  if (start === -1) return [to];
  return ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/** All that the list shows. */
export function chooseAll(list: HTMLElement): void {
  setChosen(new Set(idsOf(list)));
}

/** With the focus back where somebody chose last, or to the first row when that is gone, if it would be lost. */
export function endChoosing(): void {
  if (chosenNow() === null) return;
  const last = anchor && `a[data-row="${CSS.escape(anchor)}"]`;
  anchor = undefined;
  setChosen(null);
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return;
    const row =
      (last && document.querySelector<HTMLElement>(last)) ||
      document.querySelector<HTMLElement>("a[data-row]");
    row?.focus({ preventScroll: true });
  });
}

export function pressRow(row: HTMLElement, key: string, shift: boolean): void {
  if (key === " " || key.toLowerCase() === "x") {
    if (row.dataset.row) chooseRow(row, shift);
    return;
  }
  const rows = [...listOf(row).querySelectorAll<HTMLElement>("a[data-row]")];
  const at = rows.indexOf(row);
  const folder = row.closest("[data-folder]")?.querySelector<HTMLElement>("a[data-row]");
  const to = {
    ArrowUp: rows[at - 1],
    ArrowDown: rows[at + 1],
    Home: rows[0],
    End: rows.at(-1),
    ArrowLeft: folder,
  };
  to[key as keyof typeof to]?.focus();
}

/** A finger that stays chooses; one that strays scrolls. `since` is when it came. */
export function watchPress(row: HTMLElement, x: number, y: number, since: number): void {
  const press = () => {
    stop();
    if (!row.isConnected) return;
    chooseRow(row, false);
    swallowClick(row.dataset.row);
  };
  const timer = setTimeout(press, Math.max(0, since + pressMs - performance.now()));
  const ended = new AbortController();
  const stop = () => {
    clearTimeout(timer);
    ended.abort();
    row.draggable = true;
  };
  const { signal } = ended;
  const move = ({ clientX, clientY }: PointerEvent) => {
    if (Math.hypot(clientX - x, clientY - y) > strayPx) stop();
  };
  addEventListener("pointermove", move, { signal });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, stop, { signal });
  addEventListener("scroll", stop, { signal, capture: true });
}

/** The click of a finger that leaves comes this long after it, at most. */
const clickMs = 400;

/** The finger that has chosen has yet to go, and its click must not take the choice back; the next touch is another one. */
function swallowClick(id: string | undefined): void {
  const over = new AbortController();
  const { signal } = over;
  const swallow = (event: Event) => {
    const row = event.target instanceof Element && event.target.closest<HTMLElement>("a[data-row]");
    if (row && row.dataset.row === id) event.preventDefault();
    over.abort();
  };
  addEventListener("click", swallow, { capture: true, signal });
  addEventListener("pointerdown", () => over.abort(), { capture: true, signal });
  addEventListener("pointerup", () => setTimeout(() => over.abort(), clickMs), { once: true, signal });
}

const listOf = (row: HTMLElement): HTMLElement => row.closest("nav") ?? document.body;

const idsRound = (row: HTMLElement): string[] => idsOf(listOf(row));

const idsOf = (list: HTMLElement): string[] =>
  [...list.querySelectorAll<HTMLElement>("a[data-row]")].flatMap(({ dataset }) => dataset.row || []);
