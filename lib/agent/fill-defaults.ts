type Json = Record<string, unknown>;

/**
 * The arguments with the default in the place of each property that is required and absent. Generators of schemas mark
 * a property with a default as required, as it is always there once it has been parsed; the server takes a call without it.
 * What fits without is the same object.
 */
export function fillDefaults(schema: unknown, value: unknown): unknown {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return isObject(schema.items) ? fillItems(schema.items, value) : value;
  return isObject(value) && isObject(schema.properties)
    ? fillProperties(schema, schema.properties, value)
    : value;
}

function fillItems(items: Json, list: unknown[]): unknown[] {
  const filled = list.map((item) => fillDefaults(items, item));
  return filled.some((item, index) => item !== list[index]) ? filled : list;
}

function fillProperties({ required }: Json, properties: Json, value: Json): Json {
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    Object.hasOwn(properties, name) ? fillDefaults(properties[name], member) : member,
  ]);
  const absent = (Array.isArray(required) ? required : []).flatMap((name: unknown) => {
    const known = typeof name === "string" && !Object.hasOwn(value, name) && Object.hasOwn(properties, name);
    const property = known ? properties[name] : undefined;
    return isObject(property) && property.default !== undefined
      ? [[name, structuredClone(property.default)]]
      : [];
  });
  const isSame = absent.length === 0 && entries.every(([name, member]) => value[name as string] === member);
  return isSame ? value : (Object.fromEntries([...entries, ...absent]) as Json);
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
