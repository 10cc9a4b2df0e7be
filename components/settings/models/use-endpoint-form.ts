import { useState } from "react";
import { useTranslations } from "use-intl";
import { useSentence } from "@/components/ui/words/sentences";
import { useErrorText } from "@/components/ui/words/use-error-text";
import { asApiError } from "@/lib/client/http/http";
import { changeEndpoints, type EndpointAccess, testProvider } from "@/lib/client/settings/settings";
import type { EndpointItem } from "@/lib/protocol/settings";
import {
  accessIn,
  changeIn,
  draftOf,
  type EndpointDraft,
  type EndpointField,
  fieldOf,
  suggestId,
} from "./endpoint-draft";

type Result = { ok: boolean; text: string; field?: EndpointField };

/** The fields of an endpoint, what came of testing or saving them, and at which field it belongs. */
export function useEndpointForm(
  endpoint: EndpointItem | undefined,
  taken: readonly string[],
  onSaved: (name: string) => void,
) {
  const t = useTranslations("settings.models.endpoints");
  const errorText = useErrorText();
  const inWords = useSentence();
  const [written, setWritten] = useState<EndpointDraft>(() => draftOf(endpoint));
  const [result, setResult] = useState<Result | null>(null);
  const [isBusy, setBusy] = useState(false);
  // As long as nobody writes one, the id follows the name.
  const draft = written.id ? written : { ...written, id: suggestId(written.name, taken) };
  const refusal = (error: unknown): Result => {
    const { code, message } = asApiError(error);
    const at = fieldOf(message);
    const text = at && code === "invalid_input" ? inWords(at.text) : errorText(error);
    return { ok: false, text, ...(at && { field: at.field }) };
  };
  const doing = async (work: (access: EndpointAccess) => Promise<Result | null>) => {
    const access = accessIn(draft);
    if ("line" in access) {
      setResult({ ok: false, field: "headers", text: t("form.headersWrong", access) });
      return;
    }
    setBusy(true);
    setResult(await work(access).catch(refusal));
    setBusy(false);
  };
  return {
    draft,
    change: (change: Partial<EndpointDraft>) => setWritten((before) => ({ ...before, ...change })),
    isBusy,
    /** What belongs to no field. */
    status: result?.field ? null : result,
    errorOf: (field: EndpointField) => (result?.field === field ? result.text : undefined),
    test: () =>
      doing(async (access) => {
        const { ok, models = 0, listed = true, message = "", field } = await testProvider(draft.id, access);
        if (ok) return { ok, text: t(listed ? "works" : "worksByHand", { count: models }) };
        return { ok, text: inWords(message), ...(field && { field }) };
      }),
    save: () =>
      doing(async (access) => {
        const next = changeIn(draft, access);
        await changeEndpoints((list) =>
          endpoint ? list.map((other) => (other.id === endpoint.id ? next : other)) : [...list, next],
        );
        onSaved(draft.name);
        return null;
      }),
  };
}
