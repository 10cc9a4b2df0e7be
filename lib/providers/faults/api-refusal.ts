import { ProviderError } from "@/lib/agent/ports";
import { type Endpoint, labelInWords, shownAddress, whatWasSaid } from "./failure";
import { readFault } from "./fault";

/** Whether chat completions are refused with the words that the model wants `/v1/responses`. */
export function wantsResponses(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.code !== "bad_response") return false;
  const { status, said } = readFault(error.cause);
  return (status === 400 || status === 404 || status === 422) && /\bv1\/responses\b/i.test(said);
}

/** Whether that refusal says that the model reasons: its effort is named, sent or not. */
export function namesEffort(error: ProviderError): boolean {
  const { said, body } = readFault(error.cause);
  return /reasoning_effort/.test(`${said} ${body}`);
}

/** Whether a server has no Responses API; one that lacks only the model has it. */
export function lacksResponses(error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError)) return false;
  const { status, said, body } = readFault(error.cause);
  if (status === 405) return true;
  return status === 404 && !/model_not_found|\bmodel\b.{0,300}(not exist|not found)/i.test(`${said} ${body}`);
}

/** `api` is set to an API that is refused: nothing is tried in its place. */
export const apiIsSet = (
  api: "responses" | "chat",
  refusal: ProviderError,
  endpoint: Endpoint,
): ProviderError =>
  new ProviderError(
    "bad_response",
    api === "chat" ? chatIsSetInWords(refusal, endpoint) : responsesIsSetInWords(refusal, endpoint),
    {
      cause: refusal.cause,
    },
  );

/** Chat completions want the Responses API, and that is not there. */
export const bothRefuse = (chat: ProviderError, endpoint: Endpoint): ProviderError =>
  new ProviderError("bad_response", bothRefuseInWords(chat, endpoint), { cause: chat.cause });

function chatIsSetInWords({ cause }: ProviderError, endpoint: Endpoint): string {
  const said = whatWasSaid(cause, endpoint);
  return `${endpoint.model} asks for the Responses API, but the API of ${labelInWords(endpoint.label)} is set to "chat". Set it to "auto" in Settings → Models, or pick another model. It said: ${said}`;
}

function responsesIsSetInWords({ cause }: ProviderError, endpoint: Endpoint): string {
  const { label, baseURL } = endpoint;
  const said = whatWasSaid(cause, endpoint);
  return said
    ? `${label} has no Responses API at ${shownAddress(baseURL)}, but its API is set to "responses". Set it to "auto" in Settings → Models. It said: ${said}`
    : `${label} has no Responses API at ${shownAddress(baseURL)}, but its API is set to "responses". Set it to "auto" in Settings → Models.`;
}

function bothRefuseInWords({ cause }: ProviderError, endpoint: Endpoint): string {
  const { label, model, baseURL } = endpoint;
  const said = whatWasSaid(cause, endpoint);
  return `${model} asks for the Responses API, which ${labelInWords(label)} does not have at ${shownAddress(baseURL)}. Set its tool calls to "As JSON" in Settings → Models, or pick another model. It said: ${said}`;
}
