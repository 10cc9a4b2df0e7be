import { AgentsPage } from "@/components/settings/agents/agents-page";

/** `?open=` names the agent that is shown first. */
export default async function Page({ searchParams }: PageProps<"/settings/agents">) {
  const { open } = await searchParams;
  return <AgentsPage asked={typeof open === "string" ? open : null} />;
}
