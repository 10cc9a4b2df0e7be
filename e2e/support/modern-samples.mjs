// What the tools of modern-tools.mjs give and ask.

/** A red square of 8 × 8. */
export const image =
  "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR4nGO4ZKSBFTEMLQkAePtLAfAVIGoAAAAASUVORK5CYII=";

/**
 * Every kind of field that the wire knows, each with a default but the first.
 *
 * @type {any}
 */
export const requestedSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", title: "Name", description: "As in your passport", minLength: 2, maxLength: 40 },
    nick: { type: "string", title: "Nickname", default: "Mog" },
    mail: { type: "string", title: "E-mail", format: "email", default: "mog@example.com" },
    page: { type: "string", title: "Home page", format: "uri", default: "https://example.com/" },
    born: { type: "string", title: "Birthday", format: "date", default: "2000-02-29" },
    wakes: { type: "string", title: "Wakes at", format: "date-time", default: "2026-07-28T06:30:00Z" },
    cups: { type: "integer", title: "Cups", minimum: 0, maximum: 9, default: 2 },
    weight: { type: "number", title: "Weight", default: 61.5 },
    tea: { type: "boolean", title: "Drinks tea", default: true },
    size: { type: "string", title: "Size", enum: ["small", "large"], default: "large" },
    colour: {
      type: "string",
      title: "Colour",
      oneOf: [
        { const: "r", title: "Red" },
        { const: "b", title: "Blue" },
      ],
      default: "b",
    },
    pets: {
      type: "array",
      title: "Pets",
      items: { type: "string", enum: ["cat", "dog", "fox"] },
      default: ["cat"],
    },
    days: {
      type: "array",
      title: "Days",
      items: {
        anyOf: [
          { const: "mo", title: "Monday" },
          { const: "tu", title: "Tuesday" },
        ],
      },
      default: ["mo", "tu"],
    },
  },
};

/** A tenth of a second of 440 Hz as WAV, in base64. */
export function tone() {
  const rate = 8_000;
  const samples = Buffer.from(
    Array.from(
      { length: rate / 10 },
      (_, at) => 128 + Math.round(60 * Math.sin((at / rate) * 440 * 2 * Math.PI)),
    ),
  );
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]).toString("base64");
}
