import { expect, test } from "vitest";
import { providerTable } from "./provider-table";
import { adapterNames } from "./testing/adapters";
import { answersAsAgreed } from "./testing/contract";
import { failsAsAgreed } from "./testing/failure-contract";

for (const name of adapterNames) {
  answersAsAgreed(name);
  failsAsAgreed(name);
}

test("every provider that can be configured is held to it", () => {
  expect(adapterNames).toEqual(expect.arrayContaining(providerTable.map(({ id }) => id)));
});
