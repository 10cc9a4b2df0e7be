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
