import type { Price, PriceItem } from "@/lib/protocol/settings";
import { fits, knownModels, toPrice } from "@/lib/providers/shared/known-models";
import type { Providers } from "@/lib/providers/types";
import type { BaseDeps } from "@/lib/server/base-deps";

export type OwnPrices = Readonly<Record<string, Price>>;

/** Everybody's, as limits of money count with them. */
const owner = "system";

/** What has been typed in, by `provider/name`. */
export const readOwnPrices = async ({ store }: Pick<BaseDeps, "store">): Promise<OwnPrices> =>
  (await store.settings.get<OwnPrices>(owner, "prices")) ?? {};

export const writeOwnPrices = ({ store }: Pick<BaseDeps, "store">, prices: object): Promise<void> =>
  store.settings.set(owner, "prices", prices);

/** Those typed in first, then those that are shipped and not replaced. */
export async function listPrices(deps: Pick<BaseDeps, "store">): Promise<PriceItem[]> {
  const own = await readOwnPrices(deps);
  return [
    ...Object.entries(own).map(([model, price]) => ({ model, ...price, source: "yours" as const })),
    ...knownModels.flatMap(({ id: model, price }) => {
      const shipped = Object.hasOwn(own, model) ? undefined : toPrice(price);
      return shipped ? [{ model, ...shipped, source: "shipped" as const }] : [];
    }),
  ];
}

interface PriceDeps extends Pick<BaseDeps, "store"> {
  providers: Pick<Providers, "price">;
}

/** What has been typed in, else what the model's provider has said, else what is known of it. */
export async function priceOf(deps: PriceDeps, model: string): Promise<Price | undefined> {
  return ownPrice(await readOwnPrices(deps), model) ?? deps.providers.price(model);
}

/** One that names the model exactly, else the first whose beginning fits. */
export function ownPrice(own: OwnPrices, model: string): Price | undefined {
  const key = Object.keys(own).find((pattern) => fits(pattern, model));
  return own[model] ?? (key === undefined ? undefined : own[key]);
}
