import type { Price, PriceItem } from "@/lib/protocol/settings";
import { fits, knownModels, toPrice } from "@/lib/providers/shared/known-models";
import type { Providers } from "@/lib/providers/types";
import type { BaseDeps } from "@/lib/server/base-deps";

export type OwnPrices = Readonly<Record<string, Price>>;

/** What a person has typed in, by `provider/name`. */
export const readOwnPrices = async ({ store }: Pick<BaseDeps, "store">, userId: string): Promise<OwnPrices> =>
  (await store.settings.get<OwnPrices>(userId, "prices")) ?? {};

/** The user's own first, then those that are shipped and not replaced. */
export async function listPrices(deps: Pick<BaseDeps, "store">, userId: string): Promise<PriceItem[]> {
  const own = await readOwnPrices(deps, userId);
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

/** What a person has typed in, else what the model's provider has said, else what is known of it. */
export async function priceOf(deps: PriceDeps, userId: string, model: string): Promise<Price | undefined> {
  return ownPrice(await readOwnPrices(deps, userId), model) ?? deps.providers.price(model);
}

/** One that names the model exactly, else the first whose beginning fits. */
export function ownPrice(own: OwnPrices, model: string): Price | undefined {
  const key = Object.keys(own).find((pattern) => fits(pattern, model));
  return own[model] ?? (key === undefined ? undefined : own[key]);
}
