const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const pngBytes = Buffer.from(png, "base64");

/** Open WebUI 0.6: an element of Settings → Chats → Export. */
export const openWebUiChat = {
  id: "b1f3b9f0-1111-4222-8333-444455556666",
  user_id: "u1",
  title: "Weather",
  chat: {
    id: "",
    title: "Weather",
    models: ["gpt-4o"],
    params: {},
    history: {
      currentId: "w4",
      messages: {
        w1: {
          ...{ id: "w1", parentId: null, childrenIds: ["w2", "w3"], role: "user", timestamp: 1_700_001_000 },
          content: "What is the weather?",
          files: [
            { type: "image", url: `data:image/png;base64,${png}` },
            {
              type: "file",
              name: "notes.docx",
              file: { id: "x", filename: "notes.docx", data: { content: "Bring a coat." }, meta: {} },
            },
          ],
          models: ["gpt-4o"],
        },
        w2: {
          ...{
            id: "w2",
            parentId: "w1",
            childrenIds: [],
            role: "assistant",
            model: "gpt-4o",
            timestamp: 1_700_001_010,
          },
          content:
            '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n&gt; Rain &amp; wind\n&gt; likely\n</details>\nI will look.\n<details type="tool_calls" done="true" id="call_9" name="get_weather" arguments="&quot;{\\&quot;city\\&quot;:\\&quot;Paris\\&quot;}&quot;" result="&quot;18C&quot;" files="">\n<summary>Tool Executed</summary>\n</details>\nIt is 18C.',
          done: true,
        },
        w3: {
          ...{
            id: "w3",
            parentId: "w1",
            childrenIds: ["w4"],
            role: "assistant",
            model: "deepseek-r1",
            timestamp: 1_700_001_020,
          },
          content: '<details type="tool_calls"></details>Rain.',
          output: [
            {
              type: "reasoning",
              id: "r1",
              content: [{ type: "output_text", text: "Autumn." }],
              summary: null,
            },
            {
              type: "function_call",
              id: "c1",
              call_id: "c1",
              name: "get_weather",
              arguments: '{"city":"Lyon"}',
              status: "completed",
            },
            {
              type: "function_call_output",
              id: "o1",
              call_id: "c1",
              output: [{ type: "input_text", text: "rain" }],
            },
            {
              type: "message",
              id: "m1",
              role: "assistant",
              content: [{ type: "output_text", text: "Rain." }],
            },
          ],
        },
        w4: {
          id: "w4",
          parentId: "w3",
          childrenIds: [],
          role: "user",
          content: "<script>alert(1)</script> thanks",
          timestamp: 1_700_001_030,
        },
      },
    },
    messages: [],
    timestamp: 1_700_001_000_000,
  },
  created_at: 1_700_001_000,
  updated_at: 1_700_001_030,
  share_id: null,
  archived: false,
  pinned: true,
  meta: {},
  folder_id: null,
};
