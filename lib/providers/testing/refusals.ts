/*
 * What real providers refuse with 400, so that the scripted ones do so too. The rules of each stand with its server, which yields what is wrong
 * with the messages of a request, in the words of the provider where those are known.
 */

/** The first thing that is wrong, and nothing for a request that is accepted. */
export function refusalOf(problems: Generator<string, undefined>): string | undefined {
  return problems.next().value;
}

/** That each call has exactly one answer, right after its round. */
export class Calls {
  private readonly used = new Set<string | undefined>();
  private open: (string | undefined)[] = [];

  *ask(ids: readonly (string | undefined)[], at: string): Generator<string> {
    for (const id of ids) {
      if (this.used.has(id)) yield `${at}: ids of calls must be unique, ${id} is not`;
      if (!/^[a-zA-Z0-9_-]{1,40}$/.test(id ?? "")) yield `${at}: ${id} is no id of a call`;
      this.used.add(id);
    }
    this.open = [...ids];
  }

  *answer(ids: readonly (string | undefined)[], at: string): Generator<string> {
    if (ids.toSorted().join() !== this.open.toSorted().join())
      yield `${at}: each of the calls [${this.open}] must have exactly one result right after it, and there are [${ids}]`;
    this.open = [];
  }
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
