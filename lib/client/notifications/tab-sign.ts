import type { EndedKind, EndedRun } from "./ended-runs";

/** What a tab shows of runs that have ended while nobody looked. */
export interface TabSign {
  /** What matters most of them. */
  kind: EndedKind;
  /** In how many conversations. */
  count: number;
  /** It is about the conversation of this tab alone. */
  isOwn: boolean;
}

const byWeight = ["waiting", "failed", "finished"] as const satisfies readonly EndedKind[];

export function signOf(marks: readonly EndedRun[], conversationId: string | null): TabSign | null {
  const kind = byWeight.find((each) => marks.some((mark) => mark.kind === each));
  if (!kind) return null;
  return { kind, count: marks.length, isOwn: marks.every((mark) => mark.conversationId === conversationId) };
}

/**
 * The icon of the tab, drawn as the ring: closed where an answer is finished, with its point where a person is waited
 * for, a cross where one failed. Ink, and vermilion only where a person should look.
 */
export function iconOf(kind: EndedKind): string {
  const [light, dark] = kind === "finished" ? ["#1c1916", "#ece6da"] : ["#b3361a", "#ff7f5c"];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 18 18"><style>g{stroke:${light};fill:none;stroke-width:2.4;stroke-linecap:round}` +
    `.p{fill:${light};stroke:none}@media(prefers-color-scheme:dark){g{stroke:${dark}}.p{fill:${dark}}}</style><g>${drawings[kind]}</g></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

const ring = '<circle cx="9" cy="9" r="7"/>';

const drawings: Readonly<Record<EndedKind, string>> = {
  finished: ring,
  waiting: `${ring}<circle class="p" cx="9" cy="9" r="3"/>`,
  failed: '<path d="M4 4 14 14M14 4 4 14"/>',
};
