import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Page } from "@playwright/test";

/** An element that readers are told of, as `button "Send" 1000,700 32x32`: place and size in CSS pixels, from the window's corner. */
export type BoxLine = string;

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Node {
  role?: string;
  name?: string;
  box?: Box;
  children?: unknown[];
}

const tolerancePx = 4;
const maxName = 60;

/** What readers are told of the page, from its beginning to its end. */
export async function readBoxes(page: Page): Promise<BoxLine[]> {
  return linesOf((await page.locator("body").ariaSnapshotJSON({ boxes: true })) as unknown);
}

function linesOf(node: unknown): BoxLine[] {
  if (Array.isArray(node)) return node.flatMap(linesOf);
  if (typeof node !== "object" || node === null) return [];
  const { role, name = "", box, children = [] } = node as Node;
  const within = children.flatMap(linesOf);
  if (role === undefined || role === "text" || !box || box.width * box.height === 0) return within;
  const { x, y, width, height } = box;
  const [left, top, wide, high] = [x, y, width, height].map(Math.round);
  return [`${role} ${JSON.stringify(steadyName(name))} ${left},${top} ${wide}x${high}`, ...within];
}

/** Versions change with each release, and say nothing of the screen. */
const steadyName = (name: string) => name.replace(/\d+\.\d+\.\d+(?:-[\w.]+)?/g, "0.0.0").slice(0, maxName);

/** What differs by more than the tolerance, in words: `button "Send" moved 12 px right`. */
export function compareBoxes(before: readonly BoxLine[], now: readonly BoxLine[]): string[] {
  const known = byName(before);
  const seen = byName(now);
  return [...new Set([...known.keys(), ...seen.keys()])].flatMap((name) => {
    const [were, are] = [known.get(name) ?? [], seen.get(name) ?? []];
    return Array.from({ length: Math.max(were.length, are.length) }, (_, at) => {
      const label = were.length > 1 || are.length > 1 ? `${name} (${at + 1})` : name;
      return changeOf(label, were[at], are[at]);
    }).filter((change) => change !== "");
  });
}

function changeOf(label: string, before: Box | undefined, now: Box | undefined): string {
  if (!before) return `${label} is new`;
  if (!now) return `${label} is gone`;
  const moves = [
    say(now.x - before.x, "right", "left"),
    say(now.y - before.y, "down", "up"),
    say(now.width - before.width, "wider", "narrower"),
    say(now.height - before.height, "higher", "lower"),
  ].filter((move) => move !== "");
  const verb = moves.some((move) => /right|left|down|up/.test(move)) ? "moved" : "is";
  return moves.length === 0 ? "" : `${label} ${verb} ${moves.join(", ")}`;
}

const say = (by: number, more: string, less: string) =>
  Math.abs(by) <= tolerancePx ? "" : `${Math.abs(by)} px ${by > 0 ? more : less}`;

/** Several may have the same role and name: they are told apart by their order. */
function byName(lines: readonly BoxLine[]): Map<string, Box[]> {
  const boxes = new Map<string, Box[]>();
  for (const line of lines) {
    const [, name = "", ...numbers] = /^(.*) (-?\d+),(-?\d+) (\d+)x(\d+)$/.exec(line) ?? [];
    const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number);
    boxes.set(name, [...(boxes.get(name) ?? []), { x, y, width, height }]);
  }
  return boxes;
}

/** The committed boxes of a screen; empty when there are none. */
export const readBaseline = (path: string): BoxLine[] =>
  existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as BoxLine[]) : [];

export function writeBaseline(path: string, lines: readonly BoxLine[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(lines, null, 2)}\n`);
}
