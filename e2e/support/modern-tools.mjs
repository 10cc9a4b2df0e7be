// What the server of the newer wire can do: `{ name: { …definition, run(args, context, world) } }`.
import { setTimeout as wait } from "node:timers/promises";
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import { z } from "zod";
import { image, requestedSchema, tone } from "./modern-samples.mjs";

const text = (content) => ({ content: [{ type: "text", text: content }] });
const nothing = z.object({});
export const tools = {
  greet: {
    title: "Greet",
    description: "Greets somebody.",
    inputSchema: z.object({ name: z.string() }),
    annotations: { readOnlyHint: true },
    run: ({ name }) => text(`Hello, ${name}.`),
  },
  forecast: {
    description: "The weather of the next days.",
    inputSchema: nothing,
    outputSchema: z.object({ days: z.array(z.object({ day: z.string(), degrees: z.number() })) }),
    run: () => {
      const days = [
        { day: "Monday", degrees: 12 },
        { day: "Tuesday", degrees: 15 },
      ];
      return { ...text(JSON.stringify({ days })), structuredContent: { days } };
    },
  },
  fail: {
    description: "Fails by its own word.",
    inputSchema: nothing,
    run: () => ({ ...text("It cannot."), isError: true }),
  },
  draw: {
    description: "Draws a picture.",
    inputSchema: nothing,
    run: () => ({ content: [{ type: "image", data: image, mimeType: "image/png" }] }),
  },
  sing: {
    description: "Sings a note, for everybody, and says something to each alone.",
    inputSchema: nothing,
    run: () => ({
      content: [
        { type: "audio", data: tone(), mimeType: "audio/wav" },
        {
          type: "resource",
          resource: { uri: "notes://a", mimeType: "text/plain", text: "The note was an A." },
          annotations: { audience: ["assistant"] },
        },
        { type: "text", text: "Do not tell the model.", annotations: { audience: ["user"] } },
        {
          type: "resource",
          resource: { uri: "notes://score.pdf", mimeType: "application/pdf", blob: "JVBERi0=" },
        },
      ],
    }),
  },
  count: {
    description: "Counts and says how far it is.",
    inputSchema: z.object({ to: z.number().int().max(100), pauseMs: z.number().int().max(1000) }),
    run: async ({ to, pauseMs }, { mcpReq }) => {
      for (let progress = 1; progress <= to; progress++) {
        const params = { progressToken: mcpReq._meta?.progressToken, progress, total: to };
        await mcpReq.notify({
          method: "notifications/progress",
          params: { ...params, message: `at ${progress}` },
        });
        await wait(pauseMs);
      }
      return text(`Counted to ${to}.`);
    },
  },
  wait: {
    description: "Waits until it is told to stop.",
    inputSchema: nothing,
    run: async (_args, { mcpReq: { signal } }, { note }) => {
      await wait(60_000, undefined, { signal }).catch(() => {});
      note({ event: signal.aborted ? "cancelled" : "waited", name: "wait" });
      return text("Waited.");
    },
  },
  survey: {
    description: "Asks the person for a few things.",
    inputSchema: nothing,
    run: (_args, { mcpReq }, { note }) => {
      const answer = inputResponse(mcpReq.inputResponses, "survey");
      if (answer.kind !== "elicit")
        return inputRequired({
          inputRequests: { survey: inputRequired.elicit({ message: "A few questions.", requestedSchema }) },
        });
      note({ event: "answer", name: "survey", action: answer.action });
      return text(answer.action === "accept" ? JSON.stringify(answer.content) : `It was a ${answer.action}.`);
    },
  },
  interview: {
    description: "Asks twice, the second time about the first answer.",
    inputSchema: nothing,
    run: async (_args, { mcpReq }, { states }) => {
      const state = mcpReq.requestState() ?? {};
      const answer = inputResponse(mcpReq.inputResponses, "question");
      if (answer.kind === "elicit" && answer.action !== "accept") return text("Never mind.");
      const said = { ...state, ...(answer.kind === "elicit" && answer.content) };
      const missing = ["name", "town"].find((field) => said[field] === undefined);
      if (missing === undefined) return text(`${said.name} lives in ${said.town}.`);
      const message = missing === "name" ? "Who are you?" : `Where do you live, ${said.name}?`;
      const requestedSchema = {
        type: /** @type {const} */ ("object"),
        properties: { [missing]: { type: /** @type {const} */ ("string") } },
        required: [missing],
      };
      return inputRequired({
        inputRequests: { question: inputRequired.elicit({ message, requestedSchema }) },
        requestState: await states.mint(said),
      });
    },
  },
  consent: {
    description: "Wants the person to visit a page.",
    inputSchema: z.object({ url: z.string() }),
    run: ({ url }, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "consent");
      if (answer.kind !== "elicit")
        return inputRequired({
          inputRequests: { consent: inputRequired.elicitUrl({ message: "Please consent there.", url }) },
        });
      return text(`The person said ${answer.action}.`);
    },
  },
  shelf: {
    description: "Points to a book.",
    inputSchema: nothing,
    run: () => ({
      content: [
        {
          type: "resource_link",
          uri: "book://shelf/3",
          name: "book-3",
          title: "The third book",
          mimeType: "text/plain",
        },
      ],
    }),
  },
  folders: {
    description: "Says which folders it may use.",
    inputSchema: nothing,
    run: (_args, { mcpReq }) => {
      const answer = inputResponse(mcpReq.inputResponses, "folders");
      if (answer.kind !== "roots")
        return inputRequired({ inputRequests: { folders: inputRequired.listRoots() } });
      return text(answer.roots.map(({ name, uri }) => `${name}: ${uri}`).join("\n"));
    },
  },
  learn: {
    description: "Learns to dance.",
    inputSchema: nothing,
    run: (_args, _context, { learn }) => {
      learn("dance");
      return text("Now I can dance.");
    },
  },
  rewrite: {
    description: "Writes the first book anew, and gives its address.",
    inputSchema: nothing,
    run: (_args, _context, { rewritten }) => {
      rewritten("book://shelf/1");
      return { content: [{ type: "resource_link", uri: "book://shelf/1", name: "book-1" }] };
    },
  },
  "learn-alone": {
    description: "Hangs up on who listens, and learns to bow.",
    inputSchema: nothing,
    run: (_args, _context, { learn, hangUp }) => {
      hangUp();
      learn("bow");
      return text("Now I can bow.");
    },
  },
  bow: { description: "Bows.", hidden: true, inputSchema: nothing, run: () => text("A bow.") },
  dance: {
    description: "Dances; it has to be learned first.",
    hidden: true,
    inputSchema: nothing,
    run: () => text("One, two, three."),
  },
};
