import type { ModelKnobs } from "@/lib/protocol/settings";
import type { Provider } from "./ports";

/** Asks the model in this way where the turn itself does not say otherwise. */
export const withKnobs = (provider: Provider, knobs: ModelKnobs): Provider =>
  Object.keys(knobs).length === 0 ? provider : { stream: (turn) => provider.stream({ ...knobs, ...turn }) };
