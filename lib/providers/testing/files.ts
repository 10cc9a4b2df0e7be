import { constants, deflateRawSync, deflateSync } from "node:zlib";

/** A PNG of one colour for each pixel by chance, so that it does not compress: about 3 bytes a pixel. */
export function noisyPng(side: number): Buffer {
  const rows = Buffer.alloc(side * (1 + side * 3));
  for (let at = 0, seed = 1; at < rows.length; at++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    rows[at] = at % (1 + side * 3) === 0 ? 0 : seed >>> 24;
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    block("IHDR", head),
    block("IDAT", deflateSync(rows)),
    block("IEND", Buffer.alloc(0)),
  ]);
}

/** A PDF with a page for each of these texts (Latin letters only). */
export function pdfOf(...pages: string[]): Buffer {
  const objects = ["<< /Type /Catalog /Pages 2 0 R >>"];
  const kids = pages.map((_, at) => `${4 + at * 2} 0 R`).join(" ");
  objects.push(
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  );
  for (const [at, text] of pages.entries()) {
    const content = text ? `BT /F1 18 Tf 40 700 Td (${text}) Tj ET` : "";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + at * 2} 0 R >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    );
  }
  return pdfFrom(objects);
}

/** The file around these objects, numbered from 1; the first is the catalogue. */
function pdfFrom(objects: readonly string[]): Buffer {
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}

/** A PDF of some kilobytes with one page whose content has this many megabytes: packed twice, a thousandfold each time. */
export function pdfBomb(megabytes: number): Buffer {
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const repeated = Array.from({ length: megabytes }, () => megabyte);
  // Nobody looks at the checksum that should stand at the end.
  const once = Buffer.concat([Buffer.from([0x78, 0x9c]), ...repeated, deflateRawSync("")]);
  const twice = deflateSync(once, { level: 9 }).toString("latin1");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << >> /Contents 4 0 R >>",
    `<< /Length ${twice.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n${twice}\nendstream`,
  ];
  return pdfFrom(objects);
}

function block(type: string, data: Buffer): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(type, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(checksum(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

function checksum(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
