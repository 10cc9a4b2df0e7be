import { readAgentTexts } from "@/lib/server/agents/agent-folder";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Env } from "@/lib/server/env";
import { SharedFolder } from "@/lib/server/shared-folder";
import { readSkillTexts } from "@/lib/server/skills/read-skill-texts";

interface SharedFiles {
  agentFiles: SharedFolder | undefined;
  skillFiles: SharedFolder | undefined;
  /** Where files are read. */
  folders: Pick<Env, "AGENTS_DIR" | "SKILLS_DIR">;
}

/** The files of agents and of skills: those of this machine, or where several instances may be, copies of what all have. */
export async function openSharedFiles({
  env,
  store,
  log,
}: Pick<BaseDeps, "env" | "store" | "log">): Promise<SharedFiles> {
  const { AGENTS_DIR, SKILLS_DIR, DATA_DIR: dataDir } = env;
  const folders = { AGENTS_DIR, SKILLS_DIR };
  if (env.DATABASE_URL === undefined) return { agentFiles: undefined, skillFiles: undefined, folders };
  const warn = (message: string, err?: unknown) => log.warn({ err }, message);
  const { documents, leases } = store;
  const open = (name: string, source: string, read: typeof readAgentTexts) =>
    SharedFolder.open({
      ...{ name, source, dataDir, documents, leases, warn },
      read: (dir) => read(dir, warn),
    });
  const agentFiles = await open("agents", AGENTS_DIR, readAgentTexts);
  const skillFiles = await open("skills", SKILLS_DIR, readSkillTexts);
  return { agentFiles, skillFiles, folders: { AGENTS_DIR: agentFiles.dir, SKILLS_DIR: skillFiles.dir } };
}
