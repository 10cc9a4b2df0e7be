import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { About, ConformanceScore, DocName, LicenseGroup } from "@/lib/protocol/about";
import { version } from "@/lib/server/version";

/** Pages of the documentation by the name in their address, in the order in which they are listed. */
const docs: Record<DocName, string> = {
  readme: "README.md",
  "agent-loop": "docs/agent-loop.md",
  agents: "docs/agents.md",
  skills: "docs/skills.md",
  "http-api": "docs/http-api.md",
  architecture: "docs/architecture.md",
  conformance: "docs/conformance.md",
  benchmarks: "docs/benchmarks.md",
  glossary: "docs/glossary.md",
  contributing: "CONTRIBUTING.md",
  changelog: "CHANGELOG.md",
  license: "LICENSE",
};

export const docNames = Object.keys(docs) as DocName[];

/** A file that is missing (a container may leave some out) makes its part empty. */
export async function readAbout(): Promise<About> {
  return {
    version,
    node: process.versions.node,
    sqlite: process.versions.sqlite ?? "",
    conformance: readScores(await readText(docs.conformance)),
    licenses: readLicenses(await readText("package-lock.json")),
  };
}

/** The Markdown of a page of the documentation; undefined for a name that is none, and where the file is missing. */
export async function readDoc(name: string): Promise<string | undefined> {
  if (!Object.hasOwn(docs, name)) return undefined;
  const text = await readText(docs[name as DocName]);
  if (text === "") return undefined;
  return name === "license" ? `\`\`\`\n${text}\n\`\`\`\n` : text;
}

/** The links of a page of the documentation with where they lead inside the application, those that lead anywhere. */
export function linksOf(text: string): Record<string, string> {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, url = ""]) => [url, docAddress(url)] as const);
  return Object.fromEntries(links.filter(([, address]) => address !== ""));
}

/** Where a link of a page of the documentation leads inside the application; "" for a file that is not shown there. */
export function docAddress(url: string): string {
  const [, path = "", anchor = ""] = /^(?:\.{1,2}\/)*([^#]*)(#.*)?$/.exec(url) ?? [];
  if (path === "") return anchor;
  const name = docNames.find((each) => docs[each] === path || docs[each] === `docs/${path}`);
  return name ? `/settings/about/${name}${anchor}` : "";
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(join(/* turbopackIgnore: true */ process.cwd(), path), "utf8");
  } catch {
    return "";
  }
}

function readScores(page: string): ConformanceScore[] {
  const rows = page.split("\n").filter((line) => line.startsWith("|"));
  const cellsOf = (row: string | undefined) =>
    (row ?? "")
      .split("|")
      .slice(2, -1)
      .map((cell) => cell.trim());
  const scores = cellsOf(rows.find((row) => /^\|\s*application\s*\|/.test(row)));
  return cellsOf(rows[0]).flatMap((suite, at) => {
    const [, scope, of] = /^(required by|all of) (\S+)$/.exec(suite) ?? [];
    const [, passed, total] = /^(\d+) of (\d+)$/.exec(scores[at] ?? "") ?? [];
    if (of === undefined || total === undefined) return [];
    return [
      { scope: scope === "all of" ? "all" : "required", of, passed: Number(passed), total: Number(total) },
    ];
  });
}

interface LockedPackage {
  version?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
}

function readLicenses(lock: string): LicenseGroup[] {
  if (lock === "") return [];
  const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
  const groups = new Map<string, Set<string>>();
  for (const [path, { version = "", license = "", dev, devOptional }] of Object.entries(packages)) {
    if (path === "" || dev || devOptional) continue;
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const group = groups.get(license) ?? new Set();
    groups.set(license, group.add(`${name} ${version}`));
  }
  return [...groups]
    .map(([license, names]) => ({ license, packages: [...names].sort() }))
    .sort((a, b) => b.packages.length - a.packages.length || (a.license < b.license ? -1 : 1));
}
