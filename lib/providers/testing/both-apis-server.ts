import { chatWire } from "./openai-server";
import { responsesWire } from "./responses-server";
import type { Wire } from "./wire-play";
import { type Script, startWireServer, type WireServer } from "./wire-server";

/** A server that has OpenAI's chat completions and its Responses API on 127.0.0.1, by one script. Its `url` is a base URL. */
export const startBothApisServer = (script: Script): Promise<WireServer> => startWireServer(both, script);

const wireOf = (path: string): Wire => (path.endsWith("/responses") ? responsesWire : chatWire);

const both: Wire = {
  basePath: "/v1",
  read: (path, body) => wireOf(path).read(path, body),
  problems: (body, model) => ("input" in body ? responsesWire : chatWire).problems(body, model),
  other: chatWire.other,
  start: (request, tokens) => wireOf(request.path).start(request, tokens),
  content: (step, place, request) => wireOf(request.path).content(step, place, request),
  end: (reason, tokens, called, request) => wireOf(request.path).end(reason, tokens, called, request),
  error: responsesWire.error,
};
