/** One line for each frozen set, and one for each version of the suite with everything in it. */
export function describeParts(parts, side) {
  return [
    ...setsOf(parts).map(({ title, scenarios }) => `${title}: ${scoreOfSet(scenarios)} required scenarios`),
    ...versionsOf(parts).map(
      ([version, ofVersion]) => `suite ${version}: ${scoreOfAll(ofVersion)} ${side} scenarios`,
    ),
  ];
}

/** The parts that a revision's score is made of. */
export const setsOf = (parts) => parts.filter(({ scenarios }) => scenarios.some(({ scored }) => scored));

/** `[version, parts]` of each suite. */
export const versionsOf = (parts) => [...Map.groupBy(parts, ({ version }) => version)];

export const scoreOfSet = (scenarios) => count(scenarios.filter(({ scored }) => scored));

export const scoreOfAll = (parts) => count(mergeByName(parts));

/** Each scenario once, as passed only when it passes wherever it is played; `requiredBy` names the sets. */
export function mergeByName(parts) {
  const plays = parts.flatMap(({ title, scenarios }) =>
    scenarios.map((scenario) => ({ ...scenario, title: scenario.scored ? [title] : [] })),
  );
  return [...Map.groupBy(plays, ({ name }) => name)].map(([name, ofName]) => ({
    name,
    passed: ofName.every(({ passed }) => passed),
    warned: ofName.some(({ warned }) => warned),
    requiredBy: ofName.flatMap(({ title }) => title),
  }));
}

const count = (list) => `${list.filter(({ passed }) => passed).length} of ${list.length}`;
