/** What a route of Next costs at least that answers with what a model's server streams. */
export async function POST(request) {
  const { body } = await fetch(`${process.env.MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: await request.text(),
    signal: request.signal,
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
