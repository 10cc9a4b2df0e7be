import { SetupError } from "../setup-error.mjs";
import { askForm, fieldsOf } from "./ask-form.mjs";
import { expectOk, postJson } from "./instance.mjs";
import { askPerson, inLine, readYesOrNo, visible } from "./terminal.mjs";

/** Characters of the arguments that are shown; the page shows them all. */
const mostShown = 4_000;

/**
 * Asks the person at the terminal what a run waits for, and answers it. Gives the id of the run that goes on; undefined where
 * something is asked that only the page can ask, or where nobody answers (Ctrl+D).
 */
export async function answerQuestions(instance, run, address) {
  const { pending } = await (await expectOk(await instance.call(`/api/runs/${run}`))).json();
  if (pending.length === 0 || !pending.every(canAsk)) return undefined;
  let next;
  for (const question of pending) {
    next = await answerOne(instance, { run, address, question });
    if (next === undefined) return undefined;
  }
  if (next === null) throw new SetupError(`It waits for something else: look at ${address}.`);
  return next;
}

/** Null while other questions are open. */
async function answerOne(instance, { run, address, question }) {
  for (;;) {
    const answer = await askAbout(question, address);
    if (answer === undefined) return undefined;
    const given = { requestId: question.requestId, ...answer };
    try {
      return (await (await postJson(instance, `/api/runs/${run}/answer`, given)).json()).runId;
    } catch (error) {
      // What does not fit a server's form is said anew.
      if (question.type !== "input_request" || error.status !== 400) throw error;
      console.error(visible(error.message));
    }
  }
}

/** Changed definitions, unknown outcomes and pages to visit have other answers than those of a line, or more to be looked at. */
function canAsk(question) {
  if (question.type === "budget_request") return true;
  if (question.type === "input_request")
    return question.mode === "form" && fieldsOf(question.schema) !== undefined;
  if (question.type !== "approval_request") return false;
  if (question.reason === "plan") return planInWords(question.plan).length <= mostShown;
  return ["rule", "data_flow", "tape"].includes(question.reason);
}

/** What is sent as the answer. */
async function askAbout(question, address) {
  if (question.type === "input_request") return askForm(question);
  const [words, asked, yes, no] = inWords(question, address);
  const said = await askPerson(words, `${asked} [y/n] `, readYesOrNo);
  return said === undefined ? undefined : { decision: said ? yes : no };
}

function inWords(question, address) {
  if (question.type === "budget_request") return budgetInWords(question);
  if (question.reason === "plan") return [planInWords(question.plan), "Allow the plan?", "approve", "deny"];
  return [callInWords(question, address), "Run it?", "approve", "deny"];
}

function callInWords({ call, flows = [] }, address) {
  const args = JSON.stringify(call.args, null, 2);
  const shown = args.length > mostShown ? `${args.slice(0, mostShown)}\n… the rest is at ${address}` : args;
  const why = flows.map(({ server, tool, argument }) =>
    inLine(`${argument} carries what ${tool} of ${server} has returned.`),
  );
  return [inLine(`It wants to call ${call.name}:`), visible(shown), ...why].join("\n");
}

function planInWords({ steps }) {
  const lines = steps.map(({ tool, max, fixed, readOnly, destructive }, index) => {
    const times = max === 1 ? "once" : `up to ${max} times`;
    const values = Object.entries(fixed).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
    const does = readOnly ? ["only reads"] : destructive ? ["can delete or overwrite"] : [];
    const bounds = [times, ...(values.length > 0 ? values : ["with any arguments"]), ...does];
    return inLine(`${index + 1}. ${tool}: ${bounds.join(", ")}`);
  });
  return ["It plans these calls, which would run without another question:", ...lines].join("\n");
}

function budgetInWords({ limit, of }) {
  const amount = {
    tokens: `${of} tokens`,
    toolCalls: `${of} ${of === 1 ? "call" : "calls"}`,
    cost: `$${of}`,
    timeMs: `${of / 1_000} s`,
  };
  const [words, asked] =
    limit === "repeat"
      ? ["It is about to make the same calls again.", "Go on?"]
      : limit === "price"
        ? [`Nobody knows what this model costs, so the limit of $${of} cannot be kept.`, "Go on without it?"]
        : [`Its budget is used up: ${amount[limit] ?? inLine(limit)}.`, "Go on with as much again?"];
  return [`${words} With n it answers with what it has.`, asked, "more", "finish"];
}
