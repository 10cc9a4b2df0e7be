/** What each example ends with, here and with the package (`meguri/agent`, `meguri/mcp`). */
export const expected: Record<string, unknown> = {
  "plain-loop": ["Hello!", "end_turn"],
  "own-provider": "Say it again",
  "own-tool-box": ["assistant", "tool", "assistant"],
  "mcp-pool": true,
  approval: "They are gone.",
  budget: "budget",
  hooks: {
    role: "tool",
    results: [{ id: "call_1", status: "denied", content: [{ type: "text", text: "Never the diary." }] }],
  },
  tracing: [
    "chat gpt-5-mini",
    "execute_tool notes__delete",
    "iteration 1",
    "chat gpt-5-mini",
    "iteration 2",
    "invoke_agent meguri",
  ],
  "structured-output": 1_460_000,
  "retry-and-time-limits": [true, "Here I am."],
  sequential: "お茶はおいしい。",
  "loop-with-escalate": ["Counter: 1", "Counter: 2", "Counter: 3"],
  resume: [1, "tool", "assistant"],
  "recorded-tools": ["It is gone.", "tape_miss"],
};
