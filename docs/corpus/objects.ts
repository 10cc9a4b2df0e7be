// The corpus of "Objects, shares, secrets": what has the shape of a secret, and the ids of somebody else in places where one's own
// stand. Driven by lib/server/shares/findings.test.ts, objects.test.ts and e2e/server/key-canaries.spec.ts; every route with a foreign id in
// its path is walked by app/api/isolation.test.ts, what a link shows by app/api/share*.test.ts and e2e/server/share-canaries.spec.ts.

/** None is real. */
export const secretShapes = {
  openai: `sk-${"a1".repeat(12)}`,
  meguri: `mgr_${"g7-".repeat(14)}x`,
  github: `ghp_${"b2".repeat(15)}`,
  aws: `AKIA${"C".repeat(16)}`,
  jwt: `eyJ${"d".repeat(10)}.eyJ${"e".repeat(10)}.${"f".repeat(12)}`,
  pem: "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
  url: "postgres://user:hunter2@db.example/x",
  redis: "redis://:hunter2@db.example/0",
};

/** Of one person, by the name that `foreignUses` gives them. */
export type Owned =
  | "conversation"
  | "message"
  | "run"
  | "attachment"
  | "project"
  | "assistant"
  | "request"
  | "call";

interface ForeignUse {
  method: string;
  path: string;
  body?: unknown;
}

/** Requests about what is one's own (`own`) that name something by the id `of` somebody else, or of nobody. */
export const foreignUses = (
  own: Record<Owned, string>,
): Record<string, { kind: Owned; use: (of: string) => ForeignUse }> => {
  const conversation = `/api/conversations/${own.conversation}`;
  const run = `/api/runs/${own.run}`;
  const chat = (more: object) => ({
    ...{ method: "POST", path: "/api/chat" },
    body: { message: { text: "Mine." }, model: "openai/test-model", ...more },
  });
  const ask = { conversationId: own.conversation };
  return {
    "a message to edit": {
      kind: "message",
      use: (edits) => ({ method: "POST", path: `${conversation}/messages`, body: { edits, text: "Mine." } }),
    },
    "a message to answer": { kind: "message", use: (parentId) => chat({ ...ask, parentId }) },
    "a message to read from": {
      kind: "message",
      use: (id) => ({ method: "GET", path: `${conversation}?branch=${id}` }),
    },
    "a message to fall back to": {
      kind: "message",
      use: (leafId) => ({ method: "PATCH", path: conversation, body: { leafId } }),
    },
    "a message that waits, to change": {
      kind: "message",
      use: (id) => ({ method: "PATCH", path: `${run}/messages/${id}`, body: { text: "Mine." } }),
    },
    "a message that waits, to delete": {
      kind: "message",
      use: (id) => ({ method: "DELETE", path: `${run}/messages/${id}` }),
    },
    "a file of a run": { kind: "attachment", use: (id) => ({ method: "GET", path: `${run}/files/${id}` }) },
    "a file to send": {
      kind: "attachment",
      use: (id) => chat({ ...ask, message: { text: "Mine.", attachments: [{ id }] } }),
    },
    "a file for a project": {
      kind: "attachment",
      use: (id) => ({ method: "PATCH", path: `/api/projects/${own.project}`, body: { files: [id] } }),
    },
    "a project to move to": {
      kind: "project",
      use: (projectId) => ({ method: "PATCH", path: conversation, body: { projectId } }),
    },
    "an assistant to choose": {
      kind: "assistant",
      use: (assistant) => ({ method: "PATCH", path: conversation, body: { choice: { assistant } } }),
    },
    "a question to answer": {
      kind: "call",
      use: (requestId) => ({
        method: "POST",
        path: `${run}/answer`,
        body: { requestId, decision: "approve" },
      }),
    },
    "a call to give up": {
      kind: "call",
      use: (callId) => ({ method: "POST", path: `${run}/cancel`, body: { callId } }),
    },
    "a kept request": {
      kind: "request",
      use: (id) => ({ method: "DELETE", path: `/api/mcp/servers/plain/requests/${id}` }),
    },
    "a run to compare with": {
      kind: "run",
      use: (id) => ({ method: "GET", path: `/api/runs/compare?ids=${own.run},${id}` }),
    },
  };
};
