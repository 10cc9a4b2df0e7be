import { adapterNames } from "./testing/adapters";
import { answersAsAgreed } from "./testing/contract";
import { failsAsAgreed } from "./testing/failure-contract";

for (const name of adapterNames) {
  answersAsAgreed(name);
  failsAsAgreed(name);
}
