import { headers } from "next/headers";
import { notFound, redirect } from "next/navigation";
import { getDeps } from "@/lib/server/entry/deps";
import { findQuestion } from "@/lib/server/hooks/answer-link";
import { personOf } from "@/lib/server/http/guard";

/** What a hook was told of leads here: to the question, for whom it is asked. */
export default async function Page({ params }: PageProps<"/answer/[token]">) {
  const deps = await getDeps();
  const person = await personOf(await headers(), deps);
  const place = person && (await findQuestion(deps, person.id, (await params).token));
  if (place === undefined) notFound();
  redirect(place);
}
