import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const file = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));

const root = fileURLToPath(new URL("../..", import.meta.url));

const head = `# Benchmarks

\`npm run bench\` measures everything and writes this page; \`npm run bench -- loop\` (or another part) measures one part and replaces its
section. Figures are ratios, medians or differences within one run on one machine: compare them within a section, not between machines.
How to run them, how long they take and how noisy they are: [bench/README.md](../bench/README.md). What is accepted and not met says so.
`;

/** Before anything was started. */
const [atStart] = loadavg();

/** Replaces the section of one part in docs/benchmarks.md. */
export function saveReports(name: string, text: string): void {
  const sections = readSections();
  sections.set(name, `${text}\n\n${conditions()}`);
  const order = [
    "loop",
    "peers",
    "mcp",
    "server",
    "page",
    "import",
    "disk",
    "wire",
    "people",
    "store",
    "cluster",
    "flow",
    "gateway",
  ].filter((part) => sections.has(part));
  const body = order.map((part) => `<!-- ${part} -->\n${sections.get(part)}\n<!-- end -->\n`);
  writeFileSync(file, [head, ...body].join("\n"));
}

function readSections(): Map<string, string> {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const found = text.matchAll(/<!-- (\w+) -->\n([\s\S]*?)\n<!-- end -->/g);
  return new Map([...found].map(([, name = "", section = ""]) => [name, section]));
}

function conditions(): string {
  const date = new Date().toISOString().slice(0, 10);
  const cores = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? "unknown"})`;
  const loads = `load average ${atStart?.toFixed(1)} at the beginning and ${loadavg()[0]?.toFixed(1)} at the end`;
  const isBusy = (atStart ?? 0) > availableParallelism() / 2;
  const busy = isBusy ? " The machine was busy: what is by the clock is too much, and CPU somewhat." : "";
  return `Measured on ${date} with Node ${process.version} on ${cores}, at commit ${commit()}; ${loads}.${busy}`;
}

/** With a mark where files differ from it; a figure is worth what can be measured again. */
function commit(): string {
  try {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
    return `${git("rev-parse", "--short", "HEAD")}${git("status", "--porcelain", "--", "lib", "app", "components", "bench") && " with changes"}`;
  } catch {
    return "unknown";
  }
}
