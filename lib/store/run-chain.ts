/**
 * The runs of the chain that `id` is in, the first one first: runs of one question of which each continues the one before. A
 * run is continued once. Empty when `id` is not among `runs`.
 */
export function chainOf<Run extends { id: string; continues: string | null }>(
  runs: readonly Run[],
  id: string,
): Run[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const chain: Run[] = [];
  for (let at = byId.get(id); at && !chain.includes(at); at = byId.get(at.continues ?? "")) chain.unshift(at);
  const next = (of: Run | undefined) => of && runs.find(({ continues }) => continues === of.id);
  for (let at = next(chain.at(-1)); at && !chain.includes(at); at = next(at)) chain.push(at);
  return chain;
}
