import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ContestantName } from "./contestant";
import { type Figures, type Race, ratio } from "./figures";
import { type CpuRow, cpuRows, crowdRow } from "./tasks";

const file = fileURLToPath(new URL("../../docs/images/loop.svg", import.meta.url));
const width = 860;
const labelWidth = 150;
const panelGap = 26;
const bar = 11;
const most = 32;
const colours: Partial<Record<ContestantName, string>> = {
  ours: "#2f6f5e",
  "ours, stored": "#24564a",
  ports: "#5aa48f",
  floor: "#8a8f98",
};
const other = "#c9a66b";

/** CPU time to the floor's, a panel for each row, on a logarithmic scale; docs/images/loop.svg. */
export function savePlot({ cpu, crowd }: Figures, names: readonly ContestantName[]): void {
  const panels: [string, Race[]][] = [
    ...(Object.keys(cpuRows) as CpuRow[]).map((row): [string, Race[]] => [cpuRows[row].title, cpu[row]]),
    [crowdRow.title, crowd],
  ];
  const height = panels.length * (names.length * (bar + 3) + panelGap) + 24;
  const body = panels.map(([title, times], index) =>
    panel(title, times, names, 20 + index * (names.length * (bar + 3) + panelGap)),
  );
  writeFileSync(
    file,
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="10" role="img" aria-label="CPU time of each loop, to the floor's">\n<rect width="100%" height="100%" fill="#fbfaf7"/>\n${body.join("\n")}\n</svg>\n`,
  );
}

function panel(title: string, races: readonly Race[], names: readonly ContestantName[], top: number): string {
  const bars = names.map((name, index) => {
    const { value: measured } = ratio(races, name, "floor");
    const y = top + 8 + index * (bar + 3);
    const label = `<text x="${labelWidth - 8}" y="${y + 9}" text-anchor="end" fill="#3b3f45">${name}</text>`;
    if (!Number.isFinite(measured))
      return `${label}<text x="${labelWidth}" y="${y + 9}" fill="#9a4a3c">${races.some((race) => race.some((set) => name in set)) ? "failed" : "–"}</text>`;
    const end = x(measured);
    return `${label}<rect x="${labelWidth}" y="${y}" width="${(end - labelWidth).toFixed(1)}" height="${bar}" rx="2" fill="${colours[name] ?? other}"/><text x="${(end + 5).toFixed(1)}" y="${y + 9}" fill="#3b3f45">${measured.toFixed(2)} ×</text>`;
  });
  const floor = x(1);
  const line = `<line x1="${floor}" x2="${floor}" y1="${top + 4}" y2="${top + 8 + names.length * (bar + 3)}" stroke="#8a8f98" stroke-dasharray="2 3"/>`;
  return `<text x="${labelWidth}" y="${top}" font-size="11" font-weight="600" fill="#22252a">${title}</text>${line}${bars.join("")}`;
}

/** From a quarter of the floor to 32 times as much. */
const x = (times: number): number => {
  const share = Math.log2(Math.min(most, Math.max(0.25, times)) / 0.25) / Math.log2(most / 0.25);
  return Number((labelWidth + share * (width - labelWidth - 60)).toFixed(1));
};
