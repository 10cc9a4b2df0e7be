/** The value below which a share of the values lies (0.5: the median); NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** With as many digits as say something: 0.42, 7.1, 118. */
export function round(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return value.toFixed(size < 1 ? 2 : size < 100 ? 1 : 0);
}
