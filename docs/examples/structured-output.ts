import { executeWithTools } from "@/lib/agent/execute-with-tools";
import { withStructuredOutput } from "@/lib/agent/with-structured-output";
import { question, says, scripted } from "./support";

const city = {
  type: "object",
  properties: { name: { type: "string" }, people: { type: "integer" } },
  required: ["name", "people"],
};

// The first answer does not fit, and is asked for once more with what is wrong.
const model = scripted(
  says('{"name": "Kyoto", "people": "many"}'),
  says('{"name": "Kyoto", "people": 1460000}'),
);
const { finalText } = await executeWithTools({
  provider: withStructuredOutput(model, city),
  system: "",
  history: question("How large is Kyoto?"),
  signal: AbortSignal.timeout(60_000),
});

export const output = JSON.parse(finalText).people; // 1460000
