import compile from "icu-minify/compile";

/**
 * Turbopack loader of the catalogues: messages are parsed when the application is built, so that a page neither loads a
 * parser for them nor runs it.
 * @param {string} source JSON
 */
export default function compileCatalogue(source) {
  return JSON.stringify(compileTree(JSON.parse(source)));
}

function compileTree(tree) {
  if (typeof tree === "string") return compile(tree);
  return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, compileTree(value)]));
}
