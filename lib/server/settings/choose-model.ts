import { type Providers, UnknownModelError } from "@/lib/providers/types";
import type { BaseDeps } from "@/lib/server/base-deps";
import { HttpError } from "@/lib/server/http/errors";

interface ModelDeps extends Pick<BaseDeps, "store"> {
  providers: Pick<Providers, "provider" | "defaultModel">;
}

/** The model that was asked for, else the user's, else the configured default; 400 for one that is not there. */
export async function chooseModel(
  deps: ModelDeps,
  userId: string,
  asked: string | undefined,
): Promise<string> {
  const model =
    asked ??
    (await deps.store.settings.get<string>(userId, "defaultModel")) ??
    (await deps.providers.defaultModel());
  try {
    deps.providers.provider(model);
    return model;
  } catch (cause) {
    if (!(cause instanceof UnknownModelError)) throw cause;
    throw new HttpError(400, "unknown_model", `model: ${cause.message}`);
  }
}

/** The model of the run that is continued, or the default one when its provider is no longer configured. */
export async function modelToGoOn(deps: ModelDeps, userId: string, model: string): Promise<string> {
  return chooseModel(deps, userId, model).catch(() => deps.providers.defaultModel());
}

/** Whether the provider of a model is configured. */
export function canAsk({ providers }: { providers: Pick<Providers, "provider"> }, model: string): boolean {
  try {
    providers.provider(model);
    return true;
  } catch (cause) {
    if (!(cause instanceof UnknownModelError)) throw cause;
    return false;
  }
}
