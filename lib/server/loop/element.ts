/** What a text could end, or pass for, in the prompt. */
const tag = /<(?=\s{0,9}\/?\s{0,9}(?:project_file|server_instructions|instructions)\b)/gi;

/** Foreign text in the prompt, labelled with whose it is: it neither ends its element nor begins another, and has no half characters. */
export const element = (name: string, label: { key: string; value: string }, text: string): string =>
  `<${name} ${label.key}=${JSON.stringify(label.value)}>\n${text.toWellFormed().replaceAll(tag, "<\\")}\n</${name}>`;
