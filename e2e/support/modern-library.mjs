// Prompts, resources and templates of the server of the newer wire.
import { completable, ResourceTemplate } from "@modelcontextprotocol/server";
import { z } from "zod";

const authors = ["Sōseki", "Shikibu", "Bashō"];
const startsWith = (value) => (one) => one.toLowerCase().startsWith(value.toLowerCase());
const resourcesOnAPage = 2;
const books = Array.from({ length: 5 }, (_, at) => ({
  uri: `book://shelf/${at + 1}`,
  name: `book-${at + 1}`,
  mimeType: "text/plain",
}));

export function addLibrary(server) {
  server.registerPrompt(
    "recite",
    {
      title: "Recite",
      description: "A poem of an author",
      argsSchema: z.object({ author: completable(z.string(), (value) => authors.filter(startsWith(value))) }),
    },
    ({ author }) => ({
      messages: [
        { role: "user", content: { type: "text", text: `Recite ${author}.` } },
        { role: "assistant", content: { type: "text", text: "Which poem?" } },
        {
          role: "user",
          content: {
            type: "resource",
            resource: { uri: "book://shelf/1", mimeType: "text/plain", text: "An old pond." },
          },
        },
      ],
    }),
  );
  for (const { uri, name, mimeType } of books)
    server.registerResource(name, uri, { mimeType }, () => ({
      contents: [{ uri, mimeType, text: `The text of ${name}.` }],
    }));
  server.registerResource(
    "by-author",
    new ResourceTemplate("book://by/{author}", {
      list: undefined,
      complete: { author: (value) => authors.filter(startsWith(value)) },
    }),
    { mimeType: "text/plain" },
    (uri, { author }) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: `By ${author}.` }] }),
  );
  // The package lists them all at once; a long list comes in pages.
  server.server.setRequestHandler("resources/list", ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    return {
      resources: books.slice(from, from + resourcesOnAPage),
      ...(from + resourcesOnAPage < books.length && { nextCursor: String(from + resourcesOnAPage) }),
    };
  });
}
