/**
 * What ChatGPT's data export (Settings → Data controls → Export, as of 2025 and 2026) writes into `conversations.json`, made up
 * from its public shape.
 */

export interface NodeOptions {
  role?: string;
  name?: string;
  recipient?: string;
  content?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
  at?: number;
}

export function node(
  id: string,
  parent: string | null,
  { role, name, recipient, content, metadata, at }: NodeOptions,
) {
  return {
    id,
    parent,
    children: [],
    message:
      role === undefined
        ? null
        : {
            id,
            author: { role, name: name ?? null, metadata: {} },
            create_time: at ?? null,
            update_time: null,
            content: content ?? { content_type: "text", parts: [""] },
            status: "finished_successfully",
            end_turn: null,
            weight: 1,
            metadata: metadata ?? {},
            recipient: recipient ?? "all",
            channel: null,
          },
  };
}

export const words = (...parts: unknown[]) => ({ content_type: "text", parts });

export function chatGptConversation(
  id: string,
  title: string,
  nodes: readonly ReturnType<typeof node>[],
  more: Record<string, unknown> = {},
) {
  return {
    title,
    create_time: 1_756_000_000.123456,
    update_time: 1_756_000_400.5,
    mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
    moderation_results: [],
    current_node: nodes.at(-1)?.id ?? null,
    plugin_ids: null,
    conversation_id: id,
    conversation_template_id: null,
    gizmo_id: null,
    is_archived: false,
    safe_urls: [],
    default_model_slug: "gpt-5-thinking",
    id,
    ...more,
  };
}

export const chatGptId = (number: number): string =>
  `6b0f0d9c-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Hidden context, an edited question, thoughts, code with a plot, a search with citations, an uploaded and a made image. */
export const chatGptTree = chatGptConversation(
  chatGptId(1),
  "Cherry harvest",
  [
    node("root", null, {}),
    node("sys", "root", { role: "system", content: words("You are ChatGPT.") }),
    node("ctx", "sys", {
      role: "user",
      content: {
        content_type: "user_editable_context",
        user_profile: "A farmer.",
        user_instructions: "Be short.",
      },
      metadata: { is_visually_hidden_from_conversation: true, is_user_system_message: true },
    }),
    node("q1", "ctx", { role: "user", content: words("When are cherries ripe?"), at: 1_756_000_001 }),
    node("a1", "q1", {
      role: "assistant",
      content: words("In June."),
      metadata: { model_slug: "gpt-4o" },
      at: 1_756_000_002,
    }),
    node("q1b", "ctx", {
      role: "user",
      at: 1_756_000_003,
      content: {
        content_type: "multimodal_text",
        parts: [
          {
            content_type: "image_asset_pointer",
            asset_pointer: "file-service://file-AbC123",
            size_bytes: 70,
            width: 1,
            height: 1,
          },
          "When are cherries ripe in Japan? Look at <b>this</b> photo.",
        ],
      },
      metadata: {
        attachments: [
          { id: "file-AbC123", name: "cherries.png", size: 70, mime_type: "image/png" },
          { id: "file-Gone9", name: "orchard.pdf", size: 10, mime_type: "application/pdf" },
        ],
      },
    }),
    node("t1", "q1b", {
      role: "assistant",
      at: 1_756_000_004,
      content: {
        content_type: "thoughts",
        thoughts: [
          { summary: "Checking the season", content: "It differs by region.", chunks: [], finished: true },
        ],
        source_analysis_msg_id: "x",
      },
      metadata: { model_slug: "gpt-5-thinking" },
    }),
    node("r1", "t1", {
      role: "assistant",
      content: { content_type: "reasoning_recap", content: "Thought for 8s" },
      at: 1_756_000_005,
    }),
    node("c1", "r1", {
      role: "assistant",
      recipient: "python",
      content: {
        content_type: "code",
        language: "unknown",
        response_format_name: null,
        text: "print(6 * 7)",
      },
      at: 1_756_000_006,
    }),
    node("o1", "c1", {
      role: "tool",
      name: "python",
      content: { content_type: "execution_output", text: "42" },
      metadata: {
        aggregate_result: { messages: [{ message_type: "image", image_url: "file-service://file-Plot7" }] },
      },
      at: 1_756_000_007,
    }),
    node("c2", "o1", {
      role: "assistant",
      recipient: "web.run",
      content: { content_type: "code", language: "json", text: '{"search_query":[{"q":"cherries japan"}]}' },
      at: 1_756_000_008,
    }),
    node("a2", "c2", {
      role: "assistant",
      content: words(
        "In May \ue200cite\ue202turn0search1\ue201 and June \ue200cite\ue202turn0search9\ue201.",
      ),
      metadata: {
        model_slug: "gpt-5-thinking",
        content_references: [
          {
            matched_text: "\ue200cite\ue202turn0search1\ue201",
            type: "grouped_webpages",
            items: [{ title: "Cherries [in] Japan", url: "https://example.com/cherries_(fruit)" }],
          },
        ],
      },
      at: 1_756_000_009,
    }),
    node("d1", "a2", {
      role: "tool",
      name: "dalle.text2im",
      content: {
        content_type: "multimodal_text",
        parts: [
          {
            content_type: "image_asset_pointer",
            asset_pointer: "sediment://file_0000Dall",
            metadata: { dalle: {} },
          },
        ],
      },
      at: 1_756_000_010,
    }),
  ],
  { is_archived: true, current_node: "d1" },
);
