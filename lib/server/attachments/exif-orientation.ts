/** How a picture is turned and mirrored (1 to 8), by the first folder of its Exif data (TIFF 6.0); undefined where it does not say. */
export function orientationOf(tiff: Buffer): number | undefined {
  const order = tiff.toString("latin1", 0, 2);
  if ((order !== "II" && order !== "MM") || tiff.length < 8) return undefined;
  const short = (at: number) => (order === "II" ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const folder = order === "II" ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  if (folder + 2 > tiff.length) return undefined;
  const entries = short(folder);
  for (let entry = 0, at = folder + 2; entry < entries && at + 12 <= tiff.length; entry++, at += 12) {
    if (short(at) !== 0x0112) continue;
    const value = short(at + 8);
    return value >= 1 && value <= 8 ? value : undefined;
  }
  return undefined;
}

/** Exif data that says this alone. */
export function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("MM", "latin1");
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  // One SHORT.
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
}

/** What most pictures are. */
export const upright = 1;
