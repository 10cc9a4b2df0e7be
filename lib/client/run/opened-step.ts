/** What is shown of a turn: what the model answered, what it was sent, what of that is new, or what went over the wire. */
export type TurnTab = "answer" | "sent" | "changed" | "wire";

/** What is open under the timeline of a run: the key of a step, and what is shown of turns. */
export interface OpenedStep {
  step: string | null;
  tab: TurnTab;
}

export const nothingOpened: OpenedStep = { step: null, tab: "answer" };

const tabs: readonly string[] = ["sent", "changed", "wire"] satisfies TurnTab[];

/** As `?step=…&tab=…` says; what it does not say, or wrongly, is as if nothing were open. */
export function readOpened(search: string): OpenedStep {
  const said = new URLSearchParams(search);
  const tab = said.get("tab") ?? "";
  return { step: said.get("step"), tab: tabs.includes(tab) ? (tab as TurnTab) : nothingOpened.tab };
}

/** An address that says what is open, from one that may say something else; its other parameters stay. */
export function addressOfOpened(href: string, { step, tab }: OpenedStep): string {
  const url = new URL(href);
  const says = (name: string, value: string | null) =>
    value === null ? url.searchParams.delete(name) : url.searchParams.set(name, value);
  says("step", step);
  says("tab", step === null || tab === nothingOpened.tab ? null : tab);
  return url.pathname + url.search + url.hash;
}
