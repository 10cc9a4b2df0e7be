"use client";

import { useState } from "react";
import { latePart, useLatePart } from "@/components/ui/late-part";
import { useAgents } from "@/lib/client/conversation/agents";
import { isMissing, saidIn } from "@/lib/protocol/agents";
import type { AgentStateProps } from "./agent-state";

const agentState = latePart<AgentStateProps>(() => import("./agent-state"));

/** What the agents that declare a state begin with: its form, and what goes along with a message. */
export function useAgentState(agent: string | null) {
  const agents = useAgents().data?.items;
  const [values, setValues] = useState<Record<string, string>>({});
  const [held, setHeld] = useState(0);
  const stateOf = (id: string | null) => agents?.find((item) => item.id === id)?.state ?? {};
  const declared = stateOf(agent);
  const Form = useLatePart(agentState, Object.keys(declared).length > 0);
  return {
    Form,
    props: { declared, values, held, onChange: setValues },
    /** Undefined for an agent that declares none; "missing" where a person has to say more, who is asked then. */
    take: (id: string | null): Record<string, string> | undefined | "missing" => {
      const asked = stateOf(id);
      if (Object.keys(asked).length === 0) return undefined;
      if (!isMissing(asked, values)) return saidIn(asked, values);
      setHeld(held + 1);
      return "missing";
    },
    clear: () => setValues({}),
  };
}
