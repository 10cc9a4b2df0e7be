import { api } from "@/lib/client/http/http";
import { type Live, LiveStore, useLive } from "@/lib/client/http/live-store";
import type { SkillList } from "@/lib/protocol/skills";

export const skillStore = new LiveStore<SkillList>({
  name: "skills",
  load: () => api<SkillList>("/api/skills"),
  pace: () => null,
});

/** The skills of this machine and of all servers. */
export const useSkills = (): Live<SkillList> => useLive(skillStore);
export const refreshSkills = (): Promise<void> => skillStore.refresh();
