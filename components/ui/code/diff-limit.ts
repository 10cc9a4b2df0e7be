/** Texts that differ in more places are as good as new; to find each of them would take a page minutes. */
export const maxEditLength = 1_000;

/** What stands for the difference of two such texts. */
export const allNew = (before: string, now: string) => [
  { value: `${before}\n`, added: false, removed: true },
  { value: `${now}\n`, added: true, removed: false },
];
