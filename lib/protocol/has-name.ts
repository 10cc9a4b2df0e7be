/**
 * `static [Symbol.hasInstance] = hasName("MyError")` lets `instanceof` know an error by its name: Next.js bundles the
 * start of the process apart from the routes, so an error that one throws and the other catches has two classes.
 */
export const hasName =
  (name: string) =>
  (value: unknown): boolean =>
    value instanceof Error && value.name === name;
