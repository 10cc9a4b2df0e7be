/** A tool of the program that asks: its call is returned to it, and not run here. */
export interface ProgramTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

/** What a program has asked for over one of OpenAI's wires, beside what every run can be asked for. */
export interface ProgramOptions {
  wire: "chat" | "responses";
  /** The name of its API token; absent for the launch token. */
  client?: string;
  /** The model is told what the program says, and nothing of Meguri's or its person's. */
  isBare?: true;
  tools?: readonly ProgramTool[];
  /** Of the first turn. */
  toolChoice?: "none" | "required" | { name: string };
  /** At most one call of a turn is returned. */
  oneCall?: true;
  /** The answer ends before the first of these. */
  stop?: readonly string[];
  /** How the model is asked, beside what anybody may say of that. */
  sampling?: { topP?: number; seed?: number };
}

/** Who has begun a run over one of OpenAI's wires, as `GET /api/runs/:id` tells it. */
export type ProgramItem = Pick<ProgramOptions, "wire"> & { client: string | null };
