import { z } from "zod";
import { version } from "@/lib/server/version";
import { accountRoutes } from "./accounts";
import { agentRoutes } from "./agents";
import { apiTokenRoutes } from "./api-tokens";
import { assistantRoutes } from "./assistants";
import { auditRoutes } from "./audit";
import { chatRoutes } from "./chat";
import { conversationRoutes } from "./conversations";
import { exportRoutes } from "./exports";
import type { Route } from "./fields";
import { forkRoutes } from "./fork";
import { hookRoutes } from "./hooks";
import { limitRoutes } from "./limits";
import { matrixRoutes } from "./matrix";
import { oauthRoutes } from "./oauth";
import { offerRoutes } from "./offers";
import { openAiChatRoutes } from "./openai-chat";
import { openAiResponseRoutes } from "./openai-responses";
import { passkeyRoutes } from "./passkeys";
import { projectRoutes } from "./projects";
import { promptRoutes } from "./prompts";
import { runRoutes } from "./runs";
import { scheduleRoutes } from "./schedules";
import { searchRoutes } from "./search";
import { serverRoutes } from "./servers";
import { settingsRoutes } from "./settings";
import { tapeRoutes } from "./tape";

const routes: Route[] = [
  ["get", "/api/health", "The process is up"],
  ["get", "/api/ready", "Work can be taken; details with a session"],
  ["get", "/api/metrics", "Figures for Prometheus, for who has METRICS_TOKEN"],
  ["get", "/api/events", "An event stream that says what of one's own has changed"],
  ["delete", "/api/session", "Signs this browser out"],
  ...accountRoutes,
  ...auditRoutes,
  ...limitRoutes,
  ...apiTokenRoutes,
  ...passkeyRoutes,
  ...oauthRoutes,
  ...chatRoutes,
  ...runRoutes,
  ...forkRoutes,
  ...tapeRoutes,
  ...matrixRoutes,
  ...scheduleRoutes,
  ...agentRoutes,
  ...conversationRoutes,
  ...exportRoutes,
  ...searchRoutes,
  ...assistantRoutes,
  ...projectRoutes,
  ...promptRoutes,
  ...hookRoutes,
  ...settingsRoutes,
  ...serverRoutes,
  ...offerRoutes,
  ...openAiChatRoutes,
  ...openAiResponseRoutes,
];

const errors = '{"error":{"code","message","details"?}}';
const openAiErrors = '{"error":{"message","type","param","code"}}';

/** The OpenAPI 3.1 document of what is built, its bodies generated from the schemas that check them. */
export function openApi() {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [method, path, summary, body] of routes) {
    paths[path] ??= {};
    paths[path][method] = {
      summary: `${summary}.`,
      parameters: parameters(path),
      ...(body && {
        requestBody: {
          required: true,
          content: {
            "application/json": { schema: z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) },
          },
        },
      }),
      responses: {
        default: { description: `Errors are ${path.startsWith("/v1/") ? openAiErrors : errors}.` },
      },
    };
  }
  return { openapi: "3.1.0", info: { title: "Meguri", version }, paths };
}

function parameters(path: string) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}
