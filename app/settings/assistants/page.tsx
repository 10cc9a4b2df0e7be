import { AssistantsPage } from "@/components/settings/assistants/assistants-page";

/** `?open=` names the assistant that is shown first. */
export default async function Page({ searchParams }: PageProps<"/settings/assistants">) {
  const { open } = await searchParams;
  return <AssistantsPage asked={typeof open === "string" ? open : null} />;
}
