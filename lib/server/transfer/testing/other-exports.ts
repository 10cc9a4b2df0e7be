/** Claude's data export (Settings → Privacy → Export, as of 2025 and 2026): an element of `conversations.json`. */
export const claudeConversation = {
  uuid: "0c0ffee0-0000-4000-8000-000000000001",
  name: "Plum jam",
  summary: "",
  created_at: "2025-08-24T10:00:00.000000Z",
  updated_at: "2025-08-24T10:05:00.000000Z",
  account: { uuid: "acc" },
  chat_messages: [
    {
      uuid: "11111111-0000-4000-8000-000000000001",
      text: "How long does jam keep?",
      content: [
        {
          start_timestamp: null,
          stop_timestamp: null,
          type: "text",
          text: "How long does jam keep?",
          citations: [],
        },
      ],
      sender: "human",
      created_at: "2025-08-24T10:00:01.000000Z",
      updated_at: "2025-08-24T10:00:01.000000Z",
      attachments: [
        { file_name: "recipe.pdf", file_size: 12, file_type: "pdf", extracted_content: "Plums and sugar." },
      ],
      files: [{ file_name: "jam.jpg" }],
      parent_message_uuid: "00000000-0000-4000-8000-000000000000",
    },
    {
      uuid: "11111111-0000-4000-8000-000000000002",
      text: "A year.",
      content: [
        { type: "thinking", thinking: "Sugar keeps it.", summaries: [{ summary: "Sugar" }], cut_off: false },
        {
          type: "tool_use",
          id: "toolu_01",
          name: "web_search",
          input: { query: "jam" },
          message: "Searching",
        },
        {
          type: "tool_result",
          tool_use_id: "toolu_01",
          name: "web_search",
          content: [
            {
              type: "knowledge",
              title: "Jam",
              url: "https://example.com/jam",
              text: "Jam keeps for a year.",
            },
          ],
          is_error: false,
        },
        { type: "text", text: "A year.", citations: [] },
        { type: "token_budget" },
        { type: "from_the_future", payload: 1 },
      ],
      sender: "assistant",
      created_at: "2025-08-24T10:00:09.000000Z",
      updated_at: "2025-08-24T10:00:09.000000Z",
      attachments: [],
      files: [],
      parent_message_uuid: "11111111-0000-4000-8000-000000000001",
    },
    {
      uuid: "11111111-0000-4000-8000-000000000003",
      text: "Two years, if it is cold.",
      content: [{ type: "text", text: "Two years, if it is cold." }],
      sender: "assistant",
      created_at: "2025-08-24T10:00:20.000000Z",
      attachments: [],
      files: [],
      parent_message_uuid: "11111111-0000-4000-8000-000000000001",
    },
  ],
};

/** The same of 2023: text alone, in a line. */
export const oldClaudeConversation = {
  uuid: "0c0ffee0-0000-4000-8000-000000000002",
  name: "",
  created_at: "2023-08-24T10:00:00.000000Z",
  updated_at: "2023-08-24T10:05:00.000000Z",
  chat_messages: [
    {
      uuid: "u1",
      text: "Hello there",
      sender: "human",
      created_at: "2023-08-24T10:00:00.000000Z",
      attachments: [],
    },
    {
      uuid: "u2",
      text: "Hello.",
      sender: "assistant",
      created_at: "2023-08-24T10:00:01.000000Z",
      attachments: [],
    },
  ],
};

/** LibreChat 0.7 and 0.8, one conversation (Export → JSON, all branches, recursive). */
export const libreChatTree = {
  conversationId: "4a86c40e-e627-4454-b158-889680e23ad3",
  endpoint: "agents",
  title: "Virtual environments",
  exportAt: "13:18:04 GMT-0400 (Eastern Daylight Time)",
  branches: true,
  recursive: true,
  options: { model: "gpt-4-turbo", endpoint: "agents" },
  messages: [
    {
      messageId: "9501f99d-9bbb-40cb-bbb2-16d79aeceb72",
      parentMessageId: "00000000-0000-0000-0000-000000000000",
      conversationId: "4a86c40e-e627-4454-b158-889680e23ad3",
      createdAt: "2024-05-01T16:35:11.530Z",
      isCreatedByUser: true,
      sender: "User",
      text: "How do I activate it?",
      files: [
        {
          file_id: "f-1",
          filename: "env.txt",
          type: "text/plain",
          filepath: "/uploads/f-1",
          text: "PATH=/venv",
        },
      ],
      children: [
        {
          messageId: "4c395510-fdfd-4556-b034-f9440f025e91",
          parentMessageId: "9501f99d-9bbb-40cb-bbb2-16d79aeceb72",
          createdAt: "2024-05-01T16:35:12.604Z",
          isCreatedByUser: false,
          model: "gpt-4-turbo",
          sender: "Engineer",
          text: "",
          content: [
            { type: "think", think: "They are on Linux." },
            { type: "text", text: { value: "Let me look." } },
            {
              type: "tool_call",
              tool_call: {
                id: "call_1",
                name: "shell_mcp_box",
                args: '{"cmd":"ls"}',
                type: "tool_call",
                output: "venv",
              },
            },
            { type: "text", text: "Run `source venv/bin/activate`." },
          ],
          children: [],
        },
        {
          messageId: "5da2cdce-87f7-46b4-87c5-e8224e5d5125",
          parentMessageId: "9501f99d-9bbb-40cb-bbb2-16d79aeceb72",
          createdAt: "2024-05-01T16:36:12.604Z",
          isCreatedByUser: false,
          model: "gpt-4-turbo",
          text: ":::thinking\nEasy.\n:::\n\nUse the full path.",
          children: [],
        },
      ],
    },
  ],
};

/** The same without `recursive`. */
export const libreChatFlat = {
  ...{ conversationId: "5a86c40e-e627-4454-b158-889680e23ad3", endpoint: "openAI", title: "Flat" },
  ...{ branches: false, recursive: false, options: { model: "gpt-4o" } },
  messages: [
    {
      messageId: "m1",
      parentMessageId: "00000000-0000-0000-0000-000000000000",
      isCreatedByUser: true,
      text: "One?",
      createdAt: "2024-05-01T16:35:11.530Z",
    },
    {
      messageId: "m2",
      parentMessageId: "m1",
      isCreatedByUser: false,
      text: "One.",
      createdAt: "2024-05-01T16:35:12.530Z",
    },
  ],
};

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
