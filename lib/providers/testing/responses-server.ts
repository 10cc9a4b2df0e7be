import { Calls, isObject, parsed } from "./refusals";
import type { ScriptedCall } from "./steps";
import type { Wire } from "./wire-play";
import type { WireOptions } from "./wire-request";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that speaks OpenAI's Responses API on 127.0.0.1, by a script. Its `url` is a base URL. */
export const startResponsesServer = (script: Script, options?: WireOptions): Promise<WireServer> =>
  startWireServer(responsesWire, script, options);

interface InputItem {
  type?: string;
  id?: string;
  role?: string;
  content?: string | InputPart[];
  call_id?: string;
  arguments?: string;
  encrypted_content?: string;
  output?: string | InputPart[];
}
interface InputPart {
  type: string;
  text?: string;
}

export const responsesWire: Wire = {
  basePath: "/v1",
  namesEvents: true,
  read(path, body) {
    if (!path.endsWith("/responses")) return undefined;
    const input = (body.input ?? []) as InputItem[];
    const asked = input.findLastIndex(({ role }) => role === "user");
    return {
      model: String(body.model),
      lastUserText: textOf(input[asked]?.content),
      toolResults: input
        .slice(asked + 1)
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) => textOf(output)),
      tools: ((body.tools ?? []) as { name: string }[]).map(({ name }) => name),
    };
  },
  problems,
  other: (path, models) =>
    path === "/v1/models"
      ? { object: "list", data: models.map((id) => ({ id, object: "model", owned_by: "test" })) }
      : undefined,
  start: (request) => [
    event("response.created", { response: head(request.id) }),
    event("response.in_progress", { response: head(request.id) }),
  ],
  content(step, { block, first, last }, { id: answer }) {
    const item = { output_index: block, item_id: `${step.type}_${answer}_${block}` };
    switch (step.type) {
      case "text": {
        const message = { type: "message", id: item.item_id, role: "assistant", content: [] };
        return [
          ...(first ? [added(block, message)] : []),
          event("response.output_text.delta", { ...item, content_index: 0, delta: step.content }),
          ...(last ? [done(block, message)] : []),
        ];
      }
      case "reasoning":
        return reasoning(item, step, { first, last });
      case "calls":
        return step.calls.flatMap((call, index) => functionCall(block + index, answer, call));
    }
  },
  end(word, { input, output, cached = 0 }, _called, { id }) {
    const usage = {
      ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
      input_tokens_details: { cached_tokens: cached },
      output_tokens_details: { reasoning_tokens: 0 },
    };
    const reason = word === "completed" ? undefined : word;
    const response = { ...head(id), usage, incomplete_details: reason ? { reason } : null };
    return [event(reason ? "response.incomplete" : "response.completed", { response })];
  },
  // Of an HTTP error only `error` is read, of an event all of it.
  error: (status, message) => ({
    ...{ type: "error", sequence_number: 9 },
    error: { message, type: types[status] ?? "server_error", code: codes[status] ?? null, param: null },
  }),
};

const types: Record<number, string> = { 400: "invalid_request_error", 404: "invalid_request_error" };
const codes: Record<number, string> = { 401: "invalid_api_key", 429: "rate_limit_exceeded" };

/** The thought of one item, with the signature as its encrypted content. */
function reasoning(
  item: { output_index: number; item_id: string },
  { content, signature }: { content: string; signature?: string },
  { first, last }: { first: boolean; last: boolean },
): string[] {
  const { output_index: block, item_id: id } = item;
  const at = { ...item, summary_index: 0 };
  const summary = (type: string, more: object) =>
    event(`response.reasoning_summary_${type}`, { ...at, ...more });
  return [
    // What stands here at first is not what has to go back.
    ...(first ? [added(block, { type: "reasoning", id, summary: [], encrypted_content: "not-yet" })] : []),
    ...(first && content ? [summary("part.added", { part: { type: "summary_text", text: "" } })] : []),
    ...(content ? [summary("text.delta", { delta: content })] : []),
    ...(last && content ? [summary("part.done", { part: { type: "summary_text", text: content } })] : []),
    ...(last
      ? [done(block, { type: "reasoning", id, summary: [], encrypted_content: signature ?? null })]
      : []),
  ];
}

function functionCall(
  block: number,
  answer: string,
  { name, args = {}, id = `call_${name}`, written }: ScriptedCall,
): string[] {
  const json = written ?? JSON.stringify(args);
  const half = Math.ceil(json.length / 2);
  const call = { type: "function_call", id: `fc_${answer}_${block}`, call_id: id, name, arguments: "" };
  const piece = (delta: string) =>
    event("response.function_call_arguments.delta", { output_index: block, item_id: call.id, delta });
  return [
    added(block, { ...call, status: "in_progress" }),
    piece(json.slice(0, half)),
    piece(json.slice(half)),
    done(block, { ...call, status: "completed", arguments: json }),
  ];
}

const head = (id: string) => ({ id: `resp_${id}`, object: "response", created_at: 1, model: "test" });
const added = (output_index: number, item: object) =>
  event("response.output_item.added", { output_index, item });
const done = (output_index: number, item: object) =>
  event("response.output_item.done", { output_index, item });

/** One event as JSON, as `raw` steps want it too. */
export const event = (type: string, more: object): string =>
  JSON.stringify({ type, sequence_number: 1, ...more });

function textOf(content: string | InputPart[] | undefined): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ text }) => text ?? "").join("");
}

/** Of a request that lets nothing be stored. */
function* problems(body: Record<string, unknown>): Generator<string, undefined> {
  const items = body.input as InputItem[];
  const calls = new Calls();
  const reasoned = new Set<string>();
  let asked: (string | undefined)[] = [];
  let answers: (string | undefined)[] = [];
  for (const [index, item] of items.entries()) {
    const at = `input[${index}]`;
    const next = items[index + 1];
    if (item.type === "function_call") {
      if (!isObject(parsed(item.arguments ?? ""))) yield `${at}.arguments: no JSON object`;
      asked.push(item.call_id);
      // Thoughts stand between parallel calls, too.
      if (next?.type === "function_call" || next?.type === "reasoning") continue;
      yield* calls.ask(asked, at);
      asked = [];
    } else if (item.type === "function_call_output") {
      answers.push(item.call_id);
      if (next?.type === "function_call_output") continue;
      yield* calls.answer(answers, at);
      answers = [];
    } else if (item.type === "reasoning") {
      if (!item.encrypted_content) yield `${at}: Item '${item.id}' not found. Items are not persisted.`;
      if (item.id && reasoned.has(item.id)) yield `${at}: Duplicate item found with id ${item.id}.`;
      reasoned.add(item.id ?? "");
      const isFollowed =
        next?.type === "reasoning" || next?.type === "function_call" || next?.role === "assistant";
      if (!isFollowed)
        yield `${at}: Item '${item.id}' of type 'reasoning' was provided without its required following item.`;
    } else {
      yield* calls.answer([], at);
      if (!item.content?.length) yield `${at}.content must not be empty`;
    }
  }
  yield* calls.answer([], "input");
  if (items.at(-1)?.role === "assistant") yield "input: the last item must not be the assistant's";
}
