import { z } from "zod";
import { scheduleLimits } from "@/lib/protocol/schedules";
import { cronProblemInWords, isTimeZone } from "@/lib/server/next-time";
import { servers } from "./conversations";
import { EmptyBody, id, line, modelId, name, type Route, visible } from "./fields";
import { budget } from "./settings";

const errand = {
  name: line(scheduleLimits.name).refine((text) => text !== "", "must not be empty"),
  text: visible(z.string().trim().min(1, "must not be empty").max(scheduleLimits.text)),
  budget,
};
/** What answers, with which servers, and where it is kept. */
const use = { model: modelId, assistant: id, agent: name, servers, projectId: id };
const timing = {
  cron: z
    .string()
    .max(200)
    .transform((cron) => cron.trim().replaceAll(/\s+/g, " ")),
  timeZone: z.string().min(1).max(64).refine(isTimeZone, 'must be a time zone as "Europe/Berlin" or "UTC"'),
  missed: z.enum(["skip", "once"]),
};

const optional = {
  model: use.model.exactOptional(),
  assistant: use.assistant.exactOptional(),
  agent: use.agent.exactOptional(),
  servers: use.servers.exactOptional(),
  projectId: use.projectId.exactOptional(),
};

export const ScheduleBody = z
  .strictObject({
    ...errand,
    ...optional,
    ...timing,
    timeZone: timing.timeZone.default("UTC"),
    missed: timing.missed.default("skip"),
    enabled: z.boolean().default(true),
  })
  .superRefine(({ cron, timeZone }, context) => {
    const problem = cronProblemInWords(cron, timeZone);
    if (problem) context.addIssue({ code: "custom", path: ["cron"], message: problem });
  });

/** A time that is thought of. */
export const TimesQuery = z.strictObject({ cron: timing.cron, timeZone: timing.timeZone });

/** Null takes back what answers. */
export const TriggerPatch = z.strictObject({
  name: errand.name.exactOptional(),
  text: errand.text.exactOptional(),
  budget: errand.budget.exactOptional(),
  model: use.model.nullable().exactOptional(),
  assistant: use.assistant.nullable().exactOptional(),
  agent: use.agent.nullable().exactOptional(),
  servers: use.servers.nullable().exactOptional(),
  projectId: use.projectId.nullable().exactOptional(),
});

export const SchedulePatch = TriggerPatch.extend({
  cron: timing.cron.exactOptional(),
  timeZone: timing.timeZone.exactOptional(),
  missed: timing.missed.exactOptional(),
  enabled: z.boolean().exactOptional(),
});

export const TriggerBody = z.strictObject({ ...errand, ...optional });

/** Bytes of what a trigger is called with. */
export const maxTriggerBytes = 256 * 1024;

/** Whatever its sender has to say. */
export const TriggerCall = z.unknown();

export const scheduleRoutes: Route[] = [
  ["get", "/api/schedules", "The schedules of a person, with their next times and last runs"],
  ["post", "/api/schedules", "Keeps a question that is asked by itself", ScheduleBody],
  ["get", "/api/schedules/times", "The next times of a cron in a time zone; keeps nothing"],
  ["patch", "/api/schedules/{id}", "Changes a schedule, or turns it on or off", SchedulePatch],
  ["delete", "/api/schedules/{id}", "Deletes a schedule; what it has asked stays"],
  ["post", "/api/schedules/{id}/run", "Asks it now", EmptyBody],
  ["get", "/api/triggers", "The triggers of a person, without their addresses"],
  ["post", "/api/triggers", "Makes an address that asks a question; it is shown this once", TriggerBody],
  [
    "post",
    "/api/triggers/{id}",
    "Asks, for whoever has the address; the id is its last part, the token",
    TriggerCall,
  ],
  [
    "patch",
    "/api/triggers/{id}",
    "Changes what a trigger asks, and who answers; its address stays",
    TriggerPatch,
  ],
  ["delete", "/api/triggers/{id}", "Deletes a trigger: its address answers nobody any more"],
];
