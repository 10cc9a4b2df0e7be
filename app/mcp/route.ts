import { route } from "@/lib/server/entry/route";
import { refuseClient } from "@/lib/server/gateway/refuse";
import { endSession, streamChanges, takeMessages } from "@/lib/server/gateway/serve-client";

const options = { access: "program", scope: "mcp", refuse: refuseClient } as const;

export const GET = route(options, ({ deps, request, person }) => streamChanges(deps, { request, person }));

export const POST = route(options, ({ deps, request, person }) => takeMessages(deps, { request, person }));

export const DELETE = route(options, ({ deps, request, person }) => endSession(deps, { request, person }));
