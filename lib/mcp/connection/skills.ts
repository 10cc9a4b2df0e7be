import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { type Skill, SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import type { McpSkillItem } from "@/lib/protocol/mcp-offers";

const maxSkills = 500;

/** The entries of a server's skills (SEP-2640). No file is fetched before it is loaded. */
export async function listSkills(client: Client, log: LogRing, timeout: number): Promise<Skill[]> {
  const skills = new SkillsClient(client, { skipInvalid: true });
  if (!skills.supported) return [];
  const listing = await skills.list({}, { timeout });
  for (const { uri, reason } of listing.invalid)
    log.add("host", `A skill is left out. ${uri?.slice(0, 300) ?? "Without an address"}: ${reason}`);
  return listing.skills.slice(0, maxSkills);
}

export function describeSkill(server: string, { uri, frontmatter, resources }: Skill): McpSkillItem {
  return {
    server,
    uri,
    name: frontmatter.name,
    description: frontmatter.description,
    files: Array.isArray(resources) ? resources.map((file) => file.uri) : null,
    digest: (Array.isArray(resources) && resources.find((file) => file.uri === uri)?.digest) || null,
  };
}

/**
 * A file of a skill, by default its SKILL.md. Throws for a file that does not match its entry (not listed, another size,
 * digest or frontmatter), and for every file of a skill whose SKILL.md does not match.
 */
export async function readSkill(
  client: Client,
  skill: Skill,
  file: string | undefined,
  options: RequestOptions,
): Promise<
  { uri: string; mimeType?: string; text: string } | { uri: string; mimeType?: string; blob: string }
> {
  const skills = new SkillsClient(client);
  const manifest = await skills.read(skill, undefined, options);
  const { uri, mimeType, text, bytes } =
    file === undefined || file === skill.uri ? manifest : await skills.read(skill, file, options);
  const about = { uri, ...(mimeType !== undefined && { mimeType }) };
  return text === undefined ? { ...about, blob: Buffer.from(bytes).toString("base64") } : { ...about, text };
}
