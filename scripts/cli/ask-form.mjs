import { askPerson, inLine, readYesOrNo } from "./terminal.mjs";

/** More of them are filled in more easily on the page. */
const mostFields = 10;
/** Choices that a line can name. */
const mostChoices = 20;

/**
 * The fields of a server's form (MCP, elicitation): what each is called, whether it has to be said, the question and what reads
 * the line. Undefined where one of them is none that fits in a line.
 */
export function fieldsOf(schema) {
  const fields = Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const read = readerOf(field ?? {});
    const isNeeded = [schema.required].flat().includes(name) && field?.default === undefined;
    return read && { name, isNeeded, question: questionOf(name, field, isNeeded), read };
  });
  return fields.length <= mostFields && fields.every((field) => field !== undefined) ? fields : undefined;
}

/** Asks whether a server is to be answered, then each field; what is left empty is left out. Undefined where nobody answers. */
export async function askForm({ server, message, schema }) {
  const asked = inLine(`${server} asks: ${message}`);
  const isAnswered = await askPerson(asked, "Answer it? [y/n] ", readYesOrNo);
  if (isAnswered === undefined) return undefined;
  if (!isAnswered) return { action: "decline" };
  const content = {};
  for (const { name, isNeeded, question, read } of fieldsOf(schema) ?? []) {
    const said = await askPerson("", question, (line) => {
      if (line === "") return isNeeded ? undefined : { isEmpty: true };
      const value = read(line);
      return value === undefined ? undefined : { value };
    });
    if (said === undefined) return undefined;
    if ("value" in said) content[name] = said.value;
  }
  return { action: "accept", content };
}

function questionOf(name, field, isNeeded) {
  const { title = name, description, default: preset } = field;
  const choices = field.type === "boolean" ? ["y", "n"] : choicesOf(field)?.map((choice) => choice.title);
  const notes = [
    ...(description ? [description] : []),
    ...(choices ? [`one of: ${choices.join(", ")}`] : []),
    ...(preset === undefined ? (isNeeded ? [] : ["may be empty"]) : [`${JSON.stringify(preset)} if empty`]),
  ];
  return inLine(`${title}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}: `);
}

/** What makes a value of a line, or undefined where it has to be said again. Undefined for a field of another kind. */
function readerOf(field) {
  const choices = choicesOf(field);
  if (choices) return choices.length <= mostChoices ? (line) => choose(choices, line) : undefined;
  switch (field.type) {
    case "string":
      return (line) => line;
    case "boolean":
      return readYesOrNo;
    case "number":
      return (line) => (Number.isFinite(Number(line)) ? Number(line) : undefined);
    case "integer":
      return (line) => (Number.isSafeInteger(Number(line)) ? Number(line) : undefined);
    default:
      return undefined;
  }
}

/** As `enum` with names or without, or as `oneOf`. */
function choicesOf({ type, enum: values, enumNames, oneOf }) {
  if (type !== "string") return undefined;
  if (Array.isArray(values))
    return values.map((value, index) => ({ value, title: String(enumNames?.[index] ?? value) }));
  if (!Array.isArray(oneOf)) return undefined;
  return oneOf.map((choice) => ({ value: choice?.const, title: String(choice?.title ?? choice?.const) }));
}

const choose = (choices, line) =>
  choices.find(({ value, title }) => value === line || title.toLowerCase() === line.toLowerCase())?.value;
