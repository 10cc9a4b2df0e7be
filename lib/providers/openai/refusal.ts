import { APICallError } from "@ai-sdk/provider";
import type { Dispatcher } from "undici";

export type RawHeaders = Dispatcher.ResponseData["headers"];

/** Of the body of an error, in characters; what is longer is a page. */
const maxBody = 100_000;

/** A response that is no answer: an error, or a redirect, which is not followed. */
export class Refusal {
  private body = "";

  constructor(
    private readonly statusCode: number,
    private readonly headers: RawHeaders,
    private readonly said: string,
  ) {}

  /** Adds a piece of the body; false when no more of it is wanted. */
  add(piece: string): boolean {
    this.body += piece;
    return this.body.length <= maxBody;
  }

  toError(url: string): APICallError {
    const { statusCode, headers, said, body: responseBody } = this;
    const message = statusCode < 400 ? `a redirect to ${headers.location ?? "nowhere"}` : said;
    const responseHeaders = flat(headers);
    return new APICallError({
      ...{ message, statusCode, responseHeaders, responseBody },
      url,
      requestBodyValues: undefined,
    });
  }
}

const flat = (headers: RawHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
