/** The run that one of several simultaneous requests has started; the others were refused. */
export async function startedRun(answers: Response[]): Promise<string> {
  const body: { runId?: string } = await answers.find(({ ok }) => ok)?.json();
  return body.runId ?? "";
}
