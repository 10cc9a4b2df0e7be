import type { ToolBox } from "@/lib/agent/ports";

/** A tool that people want to be asked about. */
export const deleter: ToolBox = {
  list: () => [
    {
      name: "notes__delete",
      description: "Deletes a note.",
      inputSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    },
  ],
  async call({ id, args }, { emit }) {
    await emit({ type: "tool_start", id, args });
    return { id, status: "ok", content: [{ type: "text", text: `${args.name} was deleted.` }] };
  },
};
