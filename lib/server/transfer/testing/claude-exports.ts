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
