"use client";

import { useFormatter } from "use-intl";

/** Numbers that count nothing: their digits are a name. */
const isName =
  /(^|[_\W]|[a-z](?=[A-Z]))(ids?|nos?|numbers?|codes?|zip|phone|ports?|years?|pid|ts|timestamp|time|at|version)$/i;
/** Four digits may be a year, and are read without help. */
const groupedFrom = 10_000;

/** A number of a tool as people read it: in groups, where it is an amount. */
export function useShownNumber(): (value: number, name: string) => string {
  const format = useFormatter();
  return (value, name) =>
    Math.abs(value) < groupedFrom || isName.test(name)
      ? String(value)
      : format.number(value, { maximumFractionDigits: 20 });
}
