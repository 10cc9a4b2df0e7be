/** Whole numbers from 0 to 2^53, seven bits a byte, the lowest first; a set high bit says that more follow. */
export function writeVarints(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let value of values) {
    for (; value > 0x7f; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  }
  return Uint8Array.from(bytes);
}

/** The next `count` numbers from `start`, and where they end. Throws when there are fewer. */
export function readVarints(
  bytes: Uint8Array,
  start: number,
  count: number,
): { values: number[]; end: number } {
  const values: number[] = [];
  let end = start;
  while (values.length < count) {
    let value = 0;
    for (let scale = 1; ; scale *= 0x80) {
      const byte = bytes[end++];
      if (byte === undefined) throw new Error("it ends too early");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    values.push(value);
  }
  return { values, end };
}
