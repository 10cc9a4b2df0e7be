import { z } from "zod";
import { efforts } from "@/lib/protocol/effort";
import type { Price } from "@/lib/protocol/settings";
import type { Listed } from "@/lib/providers/shared/model-source";

/** One model of a list, with what only some servers tell of it; what has another form than expected counts as not told. */
export const listedModel = z.object({
  id: z.string().min(1),
  /** vLLM */
  max_model_len: count(),
  /** llama.cpp */
  meta: z.object({ n_ctx_train: count() }).nullish().catch(null),
  /** OpenRouter, and gateways that do as it does */
  context_length: count(),
  pricing: z
    .object({ prompt: dollars(), completion: dollars(), input_cache_read: dollars() })
    .nullish()
    .catch(null),
  supported_parameters: z.array(z.string()).nullish().catch(null),
  architecture: z
    .object({ input_modalities: z.array(z.string()) })
    .nullish()
    .catch(null),
});

/** What the list tells of this model. */
export function readListed(model: z.output<typeof listedModel>): Listed {
  const { pricing, supported_parameters: takes, architecture } = model;
  const price = pricing && toPrice(pricing);
  const thinks = takes?.some((name) => /^(reasoning|reasoning_effort)$/.test(name));
  return {
    contextWindow: model.max_model_len ?? model.meta?.n_ctx_train ?? model.context_length ?? null,
    ...(price && { price }),
    ...(takes && { tools: takes.includes("tools"), reasoning: thinks ?? false }),
    ...(takes && (thinks ? { efforts: [...efforts] } : { efforts: [] })),
    ...(architecture && { images: architecture.input_modalities.includes("image") }),
  };
}

/** Of one token, as text; a negative amount means that it depends. */
function toPrice(pricing: Record<"prompt" | "completion" | "input_cache_read", number | null>): Price | null {
  const { prompt, completion, input_cache_read: cached } = pricing;
  if (prompt === null || completion === null) return null;
  return {
    input: perMillion(prompt),
    ...(cached !== null && { cachedInput: perMillion(cached) }),
    output: perMillion(completion),
  };
}

/** Without the rests that products of fractions have. */
const perMillion = (price: number): number => Number((price * 1_000_000).toPrecision(9));

function count() {
  return z.number().int().positive().nullish().catch(null);
}

function dollars() {
  return z.coerce
    .number()
    .min(0)
    .max(0.01)
    .nullish()
    .catch(null)
    .transform((value) => value ?? null);
}
