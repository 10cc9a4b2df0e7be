import { z } from "zod";
import { flag, id, PageQuery, type Route } from "./fields";

const maxCharacters = 200;
const maxWords = 16;

export const SearchQuery = PageQuery.extend({
  q: z
    .string("must say what to look for")
    .max(maxCharacters, `may have at most ${maxCharacters} characters; leave some words out`)
    .refine((q) => q.trim().split(/\s+/u).length <= maxWords, {
      error: `may have at most ${maxWords} words; leave some out`,
    })
    .refine((q) => /[\p{L}\p{N}]/u.test(q), { error: "must have a letter or a digit to look for" }),
  conversation: id.optional(),
  project: id.optional(),
  role: z.enum(["user", "assistant"], "must be user or assistant").optional(),
  archived: flag.default(false),
});

export const searchRoutes: Route[] = [
  [
    "get",
    "/api/search",
    "Messages that have all the words of ?q=, newest first, with where they stand in them",
  ],
];
