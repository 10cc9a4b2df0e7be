import type { Answer, Decision, InputAction } from "./answer";
import type { ApprovalRequest, InputRequest } from "./chunk";

/** The kinds of questions a run can ask a person: one for each set of answers. */
export type QuestionKind = ApprovalRequest["reason"] | InputRequest["mode"] | "budget" | "step";

export type AnswerName = Decision | InputAction;

/** What an answer does to what was asked about. */
export type AnswerMeaning =
  /**
   * The call is sent; for a sampling question, the model is asked. `covers`: later calls run without a question, those of
   * the same tool in this run (`run`) or by a kept rule (`always`), those of its server by a kept rule (`server`), those
   * of all tools that only read in this conversation (`reads`).
   */
  | { effect: "run"; covers?: "run" | "always" | "server" | "reads" }
  /** The call gets the result that the person writes; `text` where they write nothing. */
  | { effect: "result"; text: string }
  /** The call is not sent, and the model reads why; `text` where the person gives no reason. */
  | { effect: "refuse"; text: string }
  /** The server gets what the person entered, or learns that its page was visited. */
  | { effect: "reply" }
  /** The server learns that it gets nothing. */
  | { effect: "withhold" }
  /** The limit is raised. */
  | { effect: "raise" }
  /** The model answers with what it has. */
  | { effect: "finish" }
  /** The run ends. */
  | { effect: "stop" }
  /** The call that waits in step mode is made. `endsMode`: none after it waits. */
  | { effect: "step"; endsMode?: true };

const decisions: Readonly<Record<Decision, AnswerMeaning>> = {
  approve: { effect: "run" },
  approve_run: { effect: "run", covers: "run" },
  approve_always: { effect: "run", covers: "always" },
  approve_server: { effect: "run", covers: "server" },
  approve_reads: { effect: "run", covers: "reads" },
  deny: { effect: "refuse", text: "The user declined this call." },
  retry: { effect: "run" },
  done: { effect: "result", text: "Done." },
  skip: { effect: "refuse", text: "The user skipped this call." },
  more: { effect: "raise" },
  finish: { effect: "finish" },
  stop: { effect: "stop" },
  step: { effect: "step" },
  run_on: { effect: "step", endsMode: true },
};

const inputActions: Readonly<Record<InputAction, AnswerMeaning>> = {
  accept: { effect: "reply" },
  decline: { effect: "withhold" },
  cancel: { effect: "withhold" },
};

export const decisionNames = Object.keys(decisions) as Decision[];
export const inputActionNames = Object.keys(inputActions) as InputAction[];

/** What each answer does, whatever the question. */
export const answers: Readonly<Record<AnswerName, AnswerMeaning>> = { ...decisions, ...inputActions };

interface QuestionRule {
  /** What the API takes, in the order in which a refusal names them. */
  takes: readonly AnswerName[];
  /** What the page offers, in its order. */
  offers: readonly AnswerName[];
  /** Asks for permission; otherwise for something that the person knows or wants. */
  isConsent: boolean;
  /** An answer that lets the call run accepts the definition that was asked about, for good. */
  acceptsDefinition?: true;
}

const once = ["approve", "deny"] as const;
const approvals = ["approve", "approve_run", "approve_always", "deny"] as const;
/** What covers other tools too is taken only where no rule allows the call, and nothing else is wrong with it. */
const ruleApprovals = [
  ...(["approve", "approve_run", "approve_always"] as const),
  ...(["approve_server", "approve_reads", "deny"] as const),
] as const;
/** What covers later calls is the way from one server to the other. */
const flowApprovals = ["approve", "approve_always", "deny"] as const;
const actions = ["accept", "decline", "cancel"] as const;
const budget = ["more", "finish", "stop"] as const;
const step = ["step", "run_on", "stop"] as const;

export const questions = {
  /** No rule allows the call. */
  rule: { takes: ruleApprovals, offers: ruleApprovals, isConsent: true },
  /** The tool's definition is not the accepted one. */
  changed_definition: { takes: approvals, offers: once, isConsent: true, acceptsDefinition: true },
  /** The call was sent, and its answer was lost: it may have taken effect. */
  outcome_unknown: {
    takes: ["retry", "done", "skip", "approve", "deny"],
    offers: ["retry", "done", "skip"],
    isConsent: false,
  },
  /** The call carries what another server has returned. */
  data_flow: { takes: flowApprovals, offers: flowApprovals, isConsent: true },
  /** A server wants the model to write something. Each request is looked at, so nothing covers later ones. */
  sampling: { takes: once, offers: once, isConsent: true },
  /** The model wants to make some calls without a question for each. */
  plan: { takes: once, offers: once, isConsent: true },
  /** A server asks for fields of a form. */
  form: { takes: actions, offers: actions, isConsent: false },
  /** A server asks for a page to be visited. */
  url: { takes: actions, offers: actions, isConsent: false },
  /** A limit of the run is used up, or the run repeats itself. */
  budget: { takes: budget, offers: budget, isConsent: false },
  /** A call that the recording of the run has no result of. */
  tape: { takes: once, offers: once, isConsent: true },
  /** Step mode: a model or a tool is about to be called. */
  step: { takes: step, offers: step, isConsent: true },
} as const satisfies Record<QuestionKind, QuestionRule>;

/** What the API takes as an answer to a question of this kind. */
export type AnswerTo<Kind extends QuestionKind> = (typeof questions)[Kind]["takes"][number];

/** What the page offers as an answer to a question of this kind. */
export type OfferedAnswer<Kind extends QuestionKind> = (typeof questions)[Kind]["offers"][number];

/** Narrows a name to an answer that a question of this kind takes. */
export function takes<Kind extends QuestionKind>(
  kind: Kind,
  name: AnswerName | undefined,
): name is AnswerTo<Kind> {
  return name !== undefined && (questions[kind].takes as readonly AnswerName[]).includes(name);
}

/** What an answer of the log does; undefined for one without a name. */
export function meaningOf({ decision, input }: Answer): AnswerMeaning | undefined {
  const name = decision ?? input?.action;
  return name && answers[name];
}
